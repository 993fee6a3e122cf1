import { ContractFault } from "../contract-fault.js";
import { readTask, responseReader } from "../v0.1/decode-response.js";

/** See {@link ClientCodec.decodeResponse}. */
export const decodeResponse = responseReader({
  ListTasks: (value) => {
    if (!Array.isArray(value)) throw new ContractFault("", "must be a list of tasks");
    const tasks = value.map((one) => readTask(one, {}));
    return { tasks, nextPageToken: "", pageSize: tasks.length, totalSize: tasks.length };
  },
});
