import { isJsonObject } from "../json/json-text.js";
import type { ListTasksRequest, ListTasksResponse, Task } from "../protocol/model.js";
import { limitHistory, listed } from "../task-log/history.js";
import { ContractFault } from "./version.js";

/** Default page size. */
const PAGE_SIZE = 50;

/**
 * The elements of a list. Agents of older versions return a bare list, or an object with the list as a member.
 * @throws ContractFault for any other value
 */
export function elementsOf(value: unknown, member: "tasks" | "configs"): readonly unknown[] {
  const list = isJsonObject(value) ? value[member] : value;
  if (Array.isArray(list)) return list;
  throw new ContractFault("", `must be a list, or an object with the list as "${member}"`);
}

/**
 * A page of a complete list of tasks. Agents of older versions have no pages and need not support filters, so the client filters, sorts and
 * pages the list; the task with the latest status is the first (§3.1.4). A token is the number of tasks on the earlier pages.
 * @throws ContractFault for a token that is not a number of at most nine digits
 */
export function pageOf(tasks: readonly Task[], request: ListTasksRequest): ListTasksResponse {
  const { pageSize = PAGE_SIZE, historyLength, includeArtifacts = false } = request;
  const start = startOf(request);
  const found = tasks.filter((task) => matches(task, request)).sort((a, b) => timeOf(b) - timeOf(a));
  const page = found.slice(start, start + pageSize);
  return {
    tasks: page.map((task) => limitHistory(listed(task, includeArtifacts), historyLength)),
    nextPageToken: start + pageSize < found.length ? String(start + pageSize) : "",
    pageSize,
    totalSize: found.length,
  };
}

/**
 * The number of tasks on the earlier pages, from the token of a request. Also called before the request is sent, to refuse a wrong token.
 * @throws ContractFault as {@link pageOf}
 */
export function startOf({ pageToken = "" }: ListTasksRequest): number {
  if (!/^\d{0,9}$/.test(pageToken)) throw new ContractFault("pageToken", "must be a token of this list");
  return Number(pageToken);
}

function matches(task: Task, { contextId, status, statusTimestampAfter: after }: ListTasksRequest): boolean {
  const { state } = task.status;
  if (contextId && task.contextId !== contextId) return false;
  if (status !== undefined && status !== "TASK_STATE_UNSPECIFIED" && state !== status) return false;
  return after === undefined || timeOf(task) >= Date.parse(after);
}

/** The time of a task's status, in milliseconds since 1970; 0 without a timestamp. */
function timeOf({ status: { timestamp } }: Task): number {
  return timestamp === undefined ? 0 : Date.parse(timestamp);
}
