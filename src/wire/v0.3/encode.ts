import type { StreamResponse, TaskPushNotificationConfig } from "../../model.js";
import { isTerminal } from "../../task/lifecycle.js";
import type { Codec, ResponseEncoders } from "../codec.js";
import { streamTexts } from "../event-texts.js";
import { writeJson } from "../json-text.js";
import { text, type Writer } from "./dialect.js";

/** The writing half of a codec. */
type Encoder = Pick<Codec, "encodeResponse" | "eventWriter">;

/** Writes answers and events; on HTTP+JSON, a member around what may be one of several says which it is. */
export function encoderOf(write: Writer, isWrapped: boolean): Encoder {
  const written = (event: StreamResponse, isLast: boolean): object => {
    const { member, value } = encodeEvent(write, event, isLast);
    return isWrapped ? { [member]: value } : value;
  };
  const push = (config: TaskPushNotificationConfig, { taskId }: { taskId?: string }) =>
    write.push(config, taskId);
  const encoders: ResponseEncoders = {
    SendMessage: (answer) => written(answer, true),
    SendStreamingMessage: (event) => written(event, false),
    GetTask: write.task,
    ListTasks: ({ tasks }) => tasks.map(write.task),
    CancelTask: write.task,
    SubscribeToTask: (event) => written(event, false),
    CreateTaskPushNotificationConfig: push,
    GetTaskPushNotificationConfig: push,
    ListTaskPushNotificationConfigs: ({ configs = [] }, { taskId }) =>
      write.list(configs.map((config) => write.push(config, taskId))),
    DeleteTaskPushNotificationConfig: () => null,
    GetExtendedAgentCard: write.card,
  };
  const texts = streamTexts();
  return {
    encodeResponse: (name, response, request) => encoders[name](response, request),
    eventWriter: (name) => texts(name, written),
  };
}

/** Body of a webhook call: the task as it stands, or the event when it is gone. */
export const encodeNotification: Codec["notification"]["encode"] = (event, task) => {
  const state = event.statusUpdate?.status.state;
  const isLast = state !== undefined && isTerminal(state);
  return writeJson(encodeEvent(text, task === undefined ? event : { task }, isLast).value);
};

function encodeEvent(
  write: Writer,
  event: StreamResponse,
  isLast: boolean,
): { member: string; value: object } {
  const { task, message, statusUpdate, artifactUpdate } = event;
  if (task !== undefined) return { member: "task", value: write.task(task) };
  if (message !== undefined) return { member: "message", value: write.message(message) };
  return statusUpdate === undefined
    ? { member: "artifactUpdate", value: write.artifactUpdate(artifactUpdate) }
    : { member: "statusUpdate", value: write.statusUpdate(statusUpdate, isLast) };
}
