import { writeJson } from "../../json/json-text.js";
import type * as model from "../../protocol/model.js";
import type { Codec, ResponseEncoders } from "../codec.js";
import { endsOnInterruption, statusOf, streamTexts } from "../events.js";
import { LazyList } from "../lazy-list.js";

/** Writes values in one dialect of the first draft. */
export interface Shape {
  /** @param hasHistory whether the reader expects a history even when it is empty */
  task(task: model.Task, hasHistory: boolean): object;
  /** @param final whether the event is the last one of the stream */
  statusEvent(event: model.TaskStatusUpdateEvent, final: boolean): object;
  /** @param index index of the artifact among those of the task */
  artifactEvent(event: model.TaskArtifactUpdateEvent, index: number): object;
  /**
   * @param config the webhook of the task; undefined when it has none
   * @returns null for a task without a webhook, in the flat dialect
   */
  webhook(taskId: string, config: model.TaskPushNotificationConfig | undefined): object | null;
  /** Body of a webhook call; undefined if it cannot be written, for example because 0.1 needs the task and it was deleted. */
  notification(event: model.StreamResponse, task: model.Task | undefined): object | undefined;
}

/** The members of a codec that concern responses, streams and webhook calls. */
export type Encoder = Pick<Codec, "encodeResponse" | "eventWriter" | "isLast" | "notification">;

/** Creates the encoder of responses, events and webhook calls in a dialect of 0.1. */
export function encoderOf(shape: Shape): Encoder {
  const encoders: ResponseEncoders = {
    // Early clients, which list accepted modes, may expect a history even if it is empty.
    SendMessage: ({ task, message }, request) =>
      shape.task(
        task ?? completedTask(message, request),
        request.configuration?.acceptedOutputModes !== undefined,
      ),
    GetTask: (task) => shape.task(task, false),
    CancelTask: (task) => shape.task(task, false),
    ListTasks: ({ tasks }) => new LazyList(tasks, (task) => shape.task(task, false)),
    CreateTaskPushNotificationConfig: (config) => shape.webhook(config.taskId ?? "", config),
    GetTaskPushNotificationConfig: (config, { taskId }) => shape.webhook(taskId, config),
    // The model allows several webhooks per task. The response has the one with the id of the task, or else the first.
    ListTaskPushNotificationConfigs: ({ configs = [] }, { taskId }) =>
      shape.webhook(taskId, configs.find(({ id }) => id === taskId) ?? configs[0]),
    DeleteTaskPushNotificationConfig: () => null,
  };
  const texts = streamTexts(endsOnInterruption);
  return {
    encodeResponse: (name, response, request) => encoders[name]?.(response, request),
    eventWriter: (name) => {
      const indexes = new ArtifactIndexes();
      const write = texts(name, (event, isLast) => {
        const { artifactUpdate, statusUpdate = asStatusUpdate(event) } = event;
        if (artifactUpdate === undefined) return shape.statusEvent(statusUpdate, isLast);
        return shape.artifactEvent(artifactUpdate, indexes.of(artifactUpdate.artifact));
      });
      return (event) => {
        // Numbers the artifacts of every event, because `write` may return a cached text.
        for (const artifact of event.task?.artifacts ?? []) indexes.of(artifact);
        return write(event, event.artifactUpdate && indexes.of(event.artifactUpdate.artifact));
      };
    },
    isLast: endsOnInterruption,
    notification: {
      mediaType: "application/json",
      needsTask: true,
      encode: (event, task) => writeJson(shape.notification(event, task) ?? {}),
    },
  };
}

/** Numbers the artifacts of a task in the order of their first appearance. 0.1 identifies them by this index. */
class ArtifactIndexes {
  readonly #known = new Map<string, number>();

  of({ artifactId }: model.Artifact): number {
    const index = this.#known.get(artifactId) ?? this.#known.size;
    this.#known.set(artifactId, index);
    return index;
  }
}

/** A task or a plain message in a stream as a status update. The message completes a task. */
function asStatusUpdate({ task, message }: model.StreamResponse): model.TaskStatusUpdateEvent {
  return statusOf(task ?? completedTask(message, undefined));
}

/** A completed task with a message, because 0.1 has no plain messages as responses. */
function completedTask(
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
