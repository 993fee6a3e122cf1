import type { Task } from "../protocol/model.js";

/**
 * A task with at most its `historyLength` newest messages, oldest of them first (§3.2.4). 0 leaves the
 * member out, undefined means no limit. What is stored is never cut (§3.2.4).
 *
 * @returns the same object when there is nothing to cut
 */
export function limitHistory(task: Task, historyLength: number | undefined): Task {
  const { history } = task;
  if (historyLength === undefined || history === undefined) return task;
  if (historyLength > 0 && history.length <= historyLength) return task;
  const { history: _, ...rest } = task;
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) };
}

/**
 * A task as it appears in a list: without a member `artifacts`, or always with one, empty when it has produced none
 * (§3.1.4).
 *
 * @returns the same object when it is so already
 */
export function listed(task: Task, includeArtifacts: boolean): Task {
  if ((task.artifacts === undefined) !== includeArtifacts) return task;
  const { artifacts: _, ...rest } = task;
  return includeArtifacts ? { ...rest, artifacts: [] } : rest;
}
