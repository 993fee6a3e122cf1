import type { StreamResponse, TaskPushNotificationConfig } from "../../model.js";
import type { OperationName } from "../../operations.js";
import { isTerminal } from "../../task/lifecycle.js";
import type { Codec, ResponseEncoders } from "../codec.js";
import { EventTexts } from "../event-texts.js";
import { writeJson } from "../json-text.js";
import { text, type Writer } from "./dialect.js";

/** The writing half of a codec. */
type Encoder = Pick<Codec, "encodeResponse" | "eventWriter">;

/** Writes answers and events; on HTTP+JSON, a member around what may be one of several says which it is. */
export function encoderOf(write: Writer, isWrapped: boolean): Encoder {
  const written = (event: StreamResponse, name: OperationName): object => {
    const { member, value } = encodeEvent(write, event, name);
    return isWrapped ? { [member]: value } : value;
  };
  const push = (config: TaskPushNotificationConfig, { taskId }: { taskId?: string }) =>
    write.push(config, taskId);
  const encoders: ResponseEncoders = {
    SendMessage: (answer) => written(answer, "SendMessage"),
    SendStreamingMessage: (event) => written(event, "SendStreamingMessage"),
    GetTask: write.task,
    ListTasks: ({ tasks }) => tasks.map(write.task),
    CancelTask: write.task,
    SubscribeToTask: (event) => written(event, "SubscribeToTask"),
    CreateTaskPushNotificationConfig: push,
    GetTaskPushNotificationConfig: push,
    ListTaskPushNotificationConfigs: ({ configs = [] }, { taskId }) =>
      write.list(configs.map((config) => write.push(config, taskId))),
    DeleteTaskPushNotificationConfig: () => null,
    GetExtendedAgentCard: write.card,
  };
  // Two memories: the streams of the two operations do not end at the same events, and events say whether they are the last.
  const texts = { SendStreamingMessage: new EventTexts(), SubscribeToTask: new EventTexts() };
  return {
    encodeResponse: (name, response, request) => encoders[name](response, request),
    eventWriter: (name) => {
      const stream = name === "SubscribeToTask" ? name : "SendStreamingMessage";
      return (event) => texts[stream].get(event, (one) => writeJson(written(one, stream)));
    },
  };
}

/** Body of a webhook call: the task as it stands, or the event when it is gone. */
export const encodeNotification: Codec["notification"]["encode"] = (event, task) =>
  writeJson(encodeEvent(text, task === undefined ? event : { task }, "SubscribeToTask").value);

/** @param name the operation whose stream it is */
function encodeEvent(
  write: Writer,
  event: StreamResponse,
  name: OperationName,
): { member: string; value: object } {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (task !== undefined) return { member: "task", value: write.task(task) };
  if (message !== undefined) return { member: "message", value: write.message(message) };
  if (artifactUpdate !== undefined)
    return { member: "artifactUpdate", value: write.artifactUpdate(artifactUpdate) };
  // The stream of a send also ends when the caller is asked for something (OP-STREAM-08).
  const { state } = statusUpdate.status;
  const final =
    isTerminal(state) || (state === "TASK_STATE_INPUT_REQUIRED" && name === "SendStreamingMessage");
  return { member: "statusUpdate", value: write.statusUpdate(statusUpdate, final) };
}
