import type { Task } from "../model.js";

/**
 * A task with at most its `historyLength` newest messages, oldest of them first (§3.2.4, HIST-01 to HIST-05). 0 leaves the
 * member out, undefined means no limit. What is stored is never cut (HIST-08).
 *
 * @returns the same object when there is nothing to cut
 */
export function limitHistory(task: Task, historyLength: number | undefined): Task {
  const { history, ...rest } = task;
  if (historyLength === undefined || history === undefined) return task;
  if (historyLength === 0) return rest;
  return history.length <= historyLength ? task : { ...task, history: history.slice(-historyLength) };
}

/** A task as it appears in a list: with an `artifacts` member always, or never (§3.1.4, OP-LIST-04, OP-LIST-05). */
export function listed(task: Task, includeArtifacts: boolean): Task {
  return includeArtifacts ? withArtifacts(task) : withoutArtifacts(task);
}

/** The task without the member `artifacts`; the same object when it has none. */
export function withoutArtifacts(task: Task): Task {
  if (task.artifacts === undefined) return task;
  const { artifacts: _, ...rest } = task;
  return rest;
}

/** The task with a member `artifacts`, empty when it has produced none; the same object when it has one. */
export function withArtifacts(task: Task): Task {
  return task.artifacts === undefined ? { ...task, artifacts: [] } : task;
}
