import { writeJson } from "../../json/json-text.js";
import type * as model from "../../protocol/model.js";
import type { Codec, ResponseEncoders } from "../codec.js";
import { isLastOfWork, statusOf, streamTexts } from "../events.js";
import { ListOf } from "../list-of.js";

/** How one dialect of the first draft writes things: all that its encoder needs to know. */
export interface Shape {
  /** @param hasHistory whether the reader counts on a list of messages where there are none */
  task(task: model.Task, hasHistory: boolean): object;
  /** @param final whether the stream ends with this event */
  statusEvent(event: model.TaskStatusUpdateEvent, final: boolean): object;
  /** @param index place of the artifact among those of the task */
  artifactEvent(event: model.TaskArtifactUpdateEvent, index: number): object;
  /** The webhook of a task; undefined when it has none. */
  webhook(taskId: string, config: model.TaskPushNotificationConfig | undefined): object | null;
  /** Body of a call of a webhook; undefined when there is nothing to say without the task. */
  notification(event: model.StreamResponse, task: model.Task | undefined): object | undefined;
}

/** The writing half of a codec. */
export type Encoder = Pick<Codec, "encodeResponse" | "eventWriter" | "isLast" | "notification">;

/** Writes answers, events and calls of webhooks in a dialect of the draft. */
export function encoderOf(shape: Shape): Encoder {
  const encoders: ResponseEncoders = {
    // Callers who say which modes they take have the guide whose answers always have a history.
    SendMessage: ({ task, message }, request) =>
      shape.task(
        task ?? answered(message, request),
        request.configuration?.acceptedOutputModes !== undefined,
      ),
    GetTask: (task) => shape.task(task, false),
    CancelTask: (task) => shape.task(task, false),
    ListTasks: ({ tasks }) => new ListOf(tasks, (task) => shape.task(task, false)),
    CreateTaskPushNotificationConfig: (config) => shape.webhook(config.taskId ?? "", config),
    // Reading the webhook of a task is a list of which one is looked at: the model lets a task have several.
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
        // Also of events that have been written already.
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

/** In which order the artifacts of a task appeared: the draft knows them by their place. */
class Places {
  readonly #known = new Map<string, number>();

  of({ artifactId }: model.Artifact): number {
    const place = this.#known.get(artifactId) ?? this.#known.size;
    this.#known.set(artifactId, place);
    return place;
  }
}

/** The first event of a stream as a status: of the task that it shows, or of one that the plain message has completed. */
function opening({ task, message }: model.StreamResponse): model.TaskStatusUpdateEvent {
  return statusOf(task ?? answered(message, undefined));
}

/** The draft has no plain messages: the answer is a completed task that says it. */
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
