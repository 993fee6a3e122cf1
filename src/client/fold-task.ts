import { argumentError } from "../protocol/argument.js";
import type { Received, StreamResponse, Task } from "../protocol/model.js";
import { TaskFold } from "../task-log/fold.js";

/**
 * Applies events to a task by the rules that an agent of this library follows (§4.2.1, §4.2.2). Use it for events that do not come from a
 * stream of this client, such as those of a webhook. Updates do not contain the caller's messages, so the history lacks them.
 *
 * @param task the task before the events; it is not modified
 * @param events the events of the task after that, in order, without gaps and each once: a webhook may receive an event twice
 * @returns the task after the events; the object is frozen
 * @throws TypeError when `task` is not a task, `events` is not iterable (a `TaskStream` is not), or an event is a plain message
 * @example
 * ```ts
 * const task = foldTask(before, [event]);
 * ```
 */
export function foldTask(task: Received<Task>, events: Iterable<Received<StreamResponse>>): Received<Task> {
  if (typeof task?.id !== "string") throw argumentError("foldTask needs a task", task);
  if (typeof events?.[Symbol.iterator] !== "function")
    throw argumentError("foldTask needs a list of events", events);
  // The fold copies states and roles as they are, known or not.
  const fold = new TaskFold({ task: task as Task, generation: 0 });
  for (const event of events) fold.apply({ event: event as StreamResponse });
  return fold.snapshot().task;
}

/**
 * Returns the metadata by which a part of a message refers to an artifact of a task, for example to ask for changes to it.
 *
 * @example
 * ```ts
 * await client.reply(task, [textPart("Shorter, please", { metadata: artifactReference(task.id, "draft") })]);
 * ```
 */
export function artifactReference(
  taskId: string,
  artifactId: string,
): { taskId: string; artifactId: string } {
  return { taskId, artifactId };
}
