import { readTask, responseReader } from "../v0.1/decode-response.js";
import { elementsOf } from "../whole-list.js";

/** See {@link ClientCodec.decodeResponse}. */
export const decodeResponse = responseReader({
  ListTasks: (value) => {
    const tasks = elementsOf(value, "tasks").map((one) => readTask(one, {}));
    return { tasks, nextPageToken: "", pageSize: tasks.length, totalSize: tasks.length };
  },
});
