import type { Task } from "../protocol/model.js";

/**
 * A task with at most its `historyLength` newest messages, oldest first (§3.2.4). 0 omits the member; undefined means
 * no limit. The stored task is never shortened.
 *
 * @returns the same object when nothing is removed
 */
export function limitHistory(task: Task, historyLength: number | undefined): Task {
  const { history } = task;
  if (historyLength === undefined || history === undefined) return task;
  if (historyLength > 0 && history.length <= historyLength) return task;
  const { history: _, ...rest } = task;
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) };
}

/**
 * A task as it appears in a list: without `artifacts` or, with `includeArtifacts`, always with that member, even if it is empty
 * (§3.1.4).
 *
 * @returns the same object when it already has that form
 */
export function listed(task: Task, includeArtifacts: boolean): Task {
  if ((task.artifacts === undefined) !== includeArtifacts) return task;
  const { artifacts: _, ...rest } = task;
  return includeArtifacts ? { ...rest, artifacts: [] } : rest;
}
