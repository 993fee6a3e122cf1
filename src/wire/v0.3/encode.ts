import type { StreamResponse, Task, TaskPushNotificationConfig } from "../../model.js";
import type { OperationName, OperationTypes } from "../../operations.js";
import { EventTexts } from "../event-texts.js";
import { writeJson } from "../json-text.js";
import { encodeMessage } from "./content.js";
import { encodeOwnCard } from "./encode-card.js";
import { encodePush } from "./push.js";
import { encodeEvent, encodeTask } from "./tasks.js";

type Encoders = {
  readonly [Name in OperationName]: (
    response: OperationTypes[Name]["response"],
    request: OperationTypes[Name]["request"],
  ) => unknown;
};

const encoders: Encoders = {
  SendMessage: ({ task, message }) => (task === undefined ? encodeMessage(message) : encodeTask(task)),
  SendStreamingMessage: (event) => encodeEvent(event, "SendStreamingMessage"),
  GetTask: encodeOne,
  ListTasks: ({ tasks }) => tasks.map(encodeTask),
  CancelTask: encodeOne,
  SubscribeToTask: (event) => encodeEvent(event, "SubscribeToTask"),
  CreateTaskPushNotificationConfig: encodeConfig,
  GetTaskPushNotificationConfig: encodeConfig,
  ListTaskPushNotificationConfigs: ({ configs = [] }, { taskId }) =>
    configs.map((config) => encodePush(config, taskId)),
  DeleteTaskPushNotificationConfig: () => null,
  GetExtendedAgentCard: encodeOwnCard,
};

/** The response of an operation as a JSON value of this version. */
export function encodeResponse<Name extends OperationName>(
  name: Name,
  response: OperationTypes[Name]["response"],
  request: OperationTypes[Name]["request"],
): unknown {
  return encoders[name](response, request);
}

function encodeOne(task: Task): unknown {
  return encodeTask(task);
}

function encodeConfig(config: TaskPushNotificationConfig, { taskId }: { taskId?: string }): unknown {
  return encodePush(config, taskId);
}

/** Two memories: the streams of the two operations do not end at the same events, and events say whether they are the last. */
const texts = { SendStreamingMessage: new EventTexts(), SubscribeToTask: new EventTexts() };

/** Writer of the events of a stream. Updates are written once, however many readers they have. */
export function eventWriter(name: OperationName): (event: StreamResponse) => string {
  const stream = name === "SubscribeToTask" ? name : "SendStreamingMessage";
  return (event) => texts[stream].get(event, (one) => writeJson(encodeEvent(one, stream)));
}

/** Body of a webhook call: the task as it stands, or the event when it is gone. */
export function encodeNotification(event: StreamResponse, task: Task | undefined): string {
  return writeJson(encodeEvent(task === undefined ? event : { task }, "SubscribeToTask"));
}
