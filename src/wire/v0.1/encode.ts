import type { Message, SendMessageRequest, StreamResponse, Task } from "../../model.js";
import type { OperationName, OperationTypes } from "../../operations.js";
import { isTerminal } from "../../task/lifecycle.js";
import type { Codec } from "../codec.js";
import { EventTexts } from "../event-texts.js";
import { writeJson } from "../json-text.js";
import type { Shape } from "./shape.js";

type Encoders = {
  readonly [Name in OperationName]?: (
    response: OperationTypes[Name]["response"],
    request: OperationTypes[Name]["request"],
  ) => unknown;
};

/** The writing half of a codec. */
export type Encoder = Pick<Codec, "encodeResponse" | "eventWriter" | "notification">;

/** Writes answers, events and calls of webhooks in a dialect of the draft. */
export function encoderOf(shape: Shape): Encoder {
  const encoders: Encoders = {
    SendMessage: ({ task, message }, request) => shape.task(task ?? answered(message, request)),
    GetTask: (task) => shape.task(task),
    CancelTask: (task) => shape.task(task),
    ListTasks: ({ tasks }) => tasks.map((task) => shape.task(task)),
    CreateTaskPushNotificationConfig: (config) => shape.webhook(config.taskId ?? "", config),
    // Reading the webhook of a task is a list of which one is looked at: the model lets a task have several.
    ListTaskPushNotificationConfigs: ({ configs = [] }, { taskId }) =>
      shape.webhook(taskId, configs.find(({ id }) => id === taskId) ?? configs[0]),
    DeleteTaskPushNotificationConfig: () => null,
  };
  const texts = new Map<OperationName, EventTexts>();
  return {
    encodeResponse: (name, response, request) => encoders[name]?.(response, request),
    eventWriter: (name) => {
      const known = texts.get(name) ?? new EventTexts();
      texts.set(name, known);
      return writerOf(shape, known, name === "SendStreamingMessage");
    },
    notification: {
      mediaType: "application/json",
      ofTask: true,
      encode: (event, task) => writeJson(shape.notification(event, task) ?? {}),
    },
  };
}

/**
 * Writes the events of a stream. It remembers in which order artifacts appeared, since the draft knows them by their place.
 * @param untilInput whether the stream ends when the task waits for its client
 */
function writerOf(shape: Shape, texts: EventTexts, untilInput: boolean): (event: StreamResponse) => string {
  const places = new Map<string, number>();
  const place = (artifactId: string): number => {
    const known = places.get(artifactId) ?? places.size;
    places.set(artifactId, known);
    return known;
  };
  const write = (event: StreamResponse): string => {
    const { artifactUpdate, statusUpdate = opening(event) } = event;
    if (artifactUpdate) {
      return writeJson(shape.artifactEvent(artifactUpdate, place(artifactUpdate.artifact.artifactId)));
    }
    const { state } = statusUpdate.status;
    const isLast = isTerminal(state) || (untilInput && state === "TASK_STATE_INPUT_REQUIRED");
    return writeJson(shape.statusEvent(statusUpdate, isLast));
  };
  return (event) => {
    for (const { artifactId } of event.task?.artifacts ?? []) place(artifactId);
    if (event.artifactUpdate) place(event.artifactUpdate.artifact.artifactId);
    return texts.get(event, write);
  };
}

/** The first event of a stream as a status: of the task that it shows, or of one that the plain message has completed. */
function opening({ task, message }: StreamResponse): {
  taskId: string;
  contextId: string;
  status: Task["status"];
} {
  const { id, contextId = "", status } = task ?? answered(message, undefined);
  return { taskId: id, contextId, status };
}

/** The draft has no plain messages: the answer is a completed task that says it. */
function answered(message: Message | undefined, request: SendMessageRequest | undefined): Task {
  const { messageId = "", contextId = "" } = message ?? {};
  return {
    id: request?.message.taskId || messageId,
    contextId,
    status: { state: "TASK_STATE_COMPLETED", ...(message && { message }) },
  };
}
