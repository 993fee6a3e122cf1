import type { StreamResponse, Task } from "../protocol/model.js";
import { TaskFold } from "../task-log/fold.js";

/**
 * The task after further events, folded as the agent does it (§3.1.2): for events that come by another way than a stream of
 * this client, such as a webhook.
 *
 * @param task as of before the events; it is not changed
 * @param events in their order, none missing
 * @returns a frozen task
 */
export function foldTask(task: Task, events: Iterable<StreamResponse>): Task {
  const fold = new TaskFold({ task, generation: 0 });
  for (const event of events) fold.apply({ event });
  return fold.snapshot().task;
}

/** Metadata of a part that is about an artifact, in the form in which a follow-up message refers to one. */
export function artifactReference(
  taskId: string,
  artifactId: string,
): { taskId: string; artifactId: string } {
  return { taskId, artifactId };
}
