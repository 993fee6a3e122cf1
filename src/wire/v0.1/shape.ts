import type {
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskStatusUpdateEvent,
} from "../../model.js";

/** How one dialect of the first draft writes things: all that its encoder needs to know. */
export interface Shape {
  task(task: Task): object;
  /** @param final whether the stream ends with this event */
  statusEvent(event: TaskStatusUpdateEvent, final: boolean): object;
  /** @param index place of the artifact among those of the task */
  artifactEvent(event: TaskArtifactUpdateEvent, index: number): object;
  /** The webhook of a task; undefined when it has none. */
  webhook(taskId: string, config: TaskPushNotificationConfig | undefined): object | null;
  /** Body of a call of a webhook; undefined when there is nothing to say without the task. */
  notification(event: StreamResponse, task: Task | undefined): object | undefined;
}
