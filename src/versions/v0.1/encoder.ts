import { writeJson } from "../../json/json-text.js";
import type * as model from "../../protocol/model.js";
import type { Codec, ResponseEncoders } from "../codec.js";
import { isLastOfWork, statusOf, streamTexts } from "../events.js";
import { ListOf } from "../list-of.js";

/** How one dialect of the first draft writes values: everything that its encoder needs. */
export interface Shape {
  /** @param hasHistory whether the reader expects a list of messages even when it is empty */
  task(task: model.Task, hasHistory: boolean): object;
  /** @param final whether the event is the last one of the stream */
  statusEvent(event: model.TaskStatusUpdateEvent, final: boolean): object;
  /** @param index index of the artifact among those of the task */
  artifactEvent(event: model.TaskArtifactUpdateEvent, index: number): object;
  /** The webhook of a task; undefined when it has none. */
  webhook(taskId: string, config: model.TaskPushNotificationConfig | undefined): object | null;
  /** Body of a webhook call; undefined when it cannot be written without the task. */
  notification(event: model.StreamResponse, task: model.Task | undefined): object | undefined;
}

/** The encoding half of a codec. */
export type Encoder = Pick<Codec, "encodeResponse" | "eventWriter" | "isLast" | "notification">;

/** Encodes answers, events and webhook calls in a dialect of the draft. */
export function encoderOf(shape: Shape): Encoder {
  const encoders: ResponseEncoders = {
    // Callers that list accepted modes follow the guide whose answers always have a history.
    SendMessage: ({ task, message }, request) =>
      shape.task(
        task ?? answered(message, request),
        request.configuration?.acceptedOutputModes !== undefined,
      ),
    GetTask: (task) => shape.task(task, false),
    CancelTask: (task) => shape.task(task, false),
    ListTasks: ({ tasks }) => new ListOf(tasks, (task) => shape.task(task, false)),
    CreateTaskPushNotificationConfig: (config) => shape.webhook(config.taskId ?? "", config),
    GetTaskPushNotificationConfig: (config, { taskId }) => shape.webhook(taskId, config),
    // Reading the webhook of a task takes the first of a list: the model allows several.
    ListTaskPushNotificationConfigs: ({ configs = [] }, { taskId }) =>
      shape.webhook(taskId, configs.find(({ id }) => id === taskId) ?? configs[0]),
    DeleteTaskPushNotificationConfig: () => null,
  };
  const texts = streamTexts(isLastOfWork);
  return {
    encodeResponse: (name, response, request) => encoders[name]?.(response, request),
    eventWriter: (name) => {
      const places = new Places();
      const write = texts(name, (event, isLast) => {
        const { artifactUpdate, statusUpdate = opening(event) } = event;
        if (artifactUpdate === undefined) return shape.statusEvent(statusUpdate, isLast);
        return shape.artifactEvent(artifactUpdate, places.of(artifactUpdate.artifact));
      });
      return (event) => {
        // Includes events that have been written already.
        for (const artifact of event.task?.artifacts ?? []) places.of(artifact);
        if (event.artifactUpdate) places.of(event.artifactUpdate.artifact);
        return write(event);
      };
    },
    isLast: isLastOfWork,
    notification: {
      mediaType: "application/json",
      ofTask: true,
      encode: (event, task) => writeJson(shape.notification(event, task) ?? {}),
    },
  };
}

/** The order in which the artifacts of a task appeared: the draft identifies them by index. */
class Places {
  readonly #known = new Map<string, number>();

  of({ artifactId }: model.Artifact): number {
    const place = this.#known.get(artifactId) ?? this.#known.size;
    this.#known.set(artifactId, place);
    return place;
  }
}

/** The first event of a stream as a status: of the task, or of the one that the plain message completes. */
function opening({ task, message }: model.StreamResponse): model.TaskStatusUpdateEvent {
  return statusOf(task ?? answered(message, undefined));
}

/** The draft has no plain messages: the answer is a completed task with the message. */
function answered(
  message: model.Message | undefined,
  request: model.SendMessageRequest | undefined,
): model.Task {
  const { messageId = "", contextId = "" } = message ?? {};
  return {
    id: request?.message.taskId || messageId,
    contextId,
    status: { state: "TASK_STATE_COMPLETED", ...(message && { message }) },
  };
}
