import { isJsonObject } from "../json/json-text.js";
import type { ListTasksRequest, ListTasksResponse, Task } from "../protocol/model.js";
import { limitHistory, listed } from "../task-log/history.js";
import { ContractFault } from "./version.js";

/** Tasks on a page when the request does not say. */
const PAGE_SIZE = 50;

/**
 * The elements of an answer that is a list: agents of older versions give it bare, or as the member that it has in later ones.
 * @throws ContractFault for an answer of another shape
 */
export function elementsOf(value: unknown, member: "tasks" | "configs"): readonly unknown[] {
  const list = isJsonObject(value) ? value[member] : value;
  if (Array.isArray(list)) return list;
  throw new ContractFault("", `must be a list, or an object with the list as "${member}"`);
}

/**
 * A page of tasks, made of a list of all of them: agents of older versions know neither filters nor pages. A token says how many
 * tasks are on the pages before.
 * @throws ContractFault for a token of another list
 */
export function pageOf(tasks: readonly Task[], request: ListTasksRequest): ListTasksResponse {
  const { pageSize = PAGE_SIZE, historyLength, includeArtifacts = false } = request;
  const start = startOf(request);
  const found = tasks.filter((task) => isMeant(task, request)).sort((a, b) => timeOf(b) - timeOf(a));
  const page = found.slice(start, start + pageSize);
  return {
    tasks: page.map((task) => limitHistory(listed(task, includeArtifacts), historyLength)),
    nextPageToken: start + pageSize < found.length ? String(start + pageSize) : "",
    pageSize,
    totalSize: found.length,
  };
}

/** @throws ContractFault as {@link pageOf} does, before anything is asked */
export function startOf({ pageToken = "" }: ListTasksRequest): number {
  if (!/^\d{0,9}$/.test(pageToken)) throw new ContractFault("pageToken", "must be of this list");
  return Number(pageToken);
}

function isMeant(task: Task, { contextId, status, statusTimestampAfter: after }: ListTasksRequest): boolean {
  const { state } = task.status;
  if (contextId && task.contextId !== contextId) return false;
  if (status !== undefined && status !== "TASK_STATE_UNSPECIFIED" && state !== status) return false;
  return after === undefined || timeOf(task) >= Date.parse(after);
}

/** Tasks that do not say when they changed are the oldest. */
function timeOf({ status: { timestamp } }: Task): number {
  return timestamp === undefined ? 0 : Date.parse(timestamp);
}
