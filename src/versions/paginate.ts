import { isJsonObject } from "../json/json-text.js";
import type { ListTasksRequest, ListTasksResponse, Task, TaskStatus } from "../protocol/model.js";
import { limitHistory, listed } from "../task-log/history.js";
import { memberOf } from "./card-interfaces.js";
import type { ClientCodec } from "./client-codec.js";
import { ContractFault } from "./version.js";

/** Default page size. */
const PAGE_SIZE = 50;

/** A fault in the request, which a reader of its response may find. */
export class RequestFault extends ContractFault {}

/**
 * The elements of a list. Agents of older versions return a bare list, or an object with the list as a member. Null is an empty list.
 * @throws ContractFault for any other value
 */
export function elementsOf(value: unknown, member: "tasks" | "configs"): readonly unknown[] {
  const list = isJsonObject(value) ? value[member] : value;
  if (list === null) return [];
  if (Array.isArray(list)) return list;
  throw new ContractFault("", `must be a list, or an object with the list as "${member}"`);
}

/**
 * The elements of a list of webhooks. An object that has at most a page token is an empty list, because writers of
 * ProtoJSON may omit the list.
 * @throws ContractFault as {@link elementsOf}
 */
export function webhooksIn(value: unknown): readonly unknown[] {
  const isEmpty = isJsonObject(value) && Object.keys(value).every((name) => tokenNames.includes(name));
  return isEmpty ? [] : elementsOf(value, "configs");
}

const tokenNames: readonly string[] = ["nextPageToken", "next_page_token"];

/** The token of the next page in a response; `""` without one. */
export function nextTokenIn(value: unknown): string {
  const token = isJsonObject(value) ? memberOf(value, "nextPageToken") : "";
  return typeof token === "string" ? token : "";
}

/**
 * Creates a reader that returns the requested page of a list of tasks. Other responses, and a list that is read without its request, are
 * returned as `read` returns them.
 */
export function pagingReader(read: ClientCodec["decodeResponse"]): ClientCodec["decodeResponse"] {
  return (name, value, reading) => {
    const answer = read(name, value, reading);
    if (name !== "ListTasks" || reading?.request === undefined) return answer;
    const { tasks } = answer as ListTasksResponse;
    return pageOf(tasks, reading.request as ListTasksRequest) as typeof answer;
  };
}

/**
 * A page of a complete list of tasks. Lists of older versions have no pages, and agents need not support filters, so the client filters,
 * sorts and pages the list; the task with the latest status is the first (§3.1.4). A token is the number of tasks on the earlier pages.
 * @param tasks the list; in a lenient client it may contain tasks without a status, and values that are not tasks
 * @throws RequestFault for a token that is neither empty nor a number of at most nine digits
 */
export function pageOf(tasks: readonly Task[], request: ListTasksRequest): ListTasksResponse {
  const { pageSize = PAGE_SIZE } = request;
  const start = startOf(request);
  const found = tasks
    .filter((task) => matches(task, request))
    .sort((a, b) => (timeOf(b) || 0) - (timeOf(a) || 0));
  const page = found.slice(start, start + pageSize);
  return {
    tasks: page.map((task) => shaped(task, request)),
    nextPageToken: start + pageSize < found.length ? String(start + pageSize) : "",
    pageSize,
    totalSize: found.length,
  };
}

/**
 * The number of tasks on the earlier pages, from the token of a request. Also called before the request is sent, to refuse a wrong token.
 * @throws RequestFault as {@link pageOf}
 */
export function startOf({ pageToken = "" }: ListTasksRequest): number {
  if (!/^\d{0,9}$/.test(pageToken)) throw new RequestFault("pageToken", "must be a token of this list");
  return Number(pageToken);
}

function matches(task: Task, { contextId, status, statusTimestampAfter: after }: ListTasksRequest): boolean {
  const { state } = statusIn(task);
  if (contextId && task?.contextId !== contextId) return false;
  if (status !== undefined && status !== "TASK_STATE_UNSPECIFIED" && state !== status) return false;
  return after === undefined || timeOf(task) >= Date.parse(after);
}

/** The task with the requested history and artifacts. A value that is not an object, and a history that is not a list, remain unchanged. */
function shaped(task: Task, { historyLength, includeArtifacts = false }: ListTasksRequest): Task {
  if (!isJsonObject(task)) return task;
  const one = listed(task, includeArtifacts);
  return Array.isArray(one.history) ? limitHistory(one, historyLength) : one;
}

/** The time of a task's status, in milliseconds since 1970; NaN without a valid timestamp. */
function timeOf(task: Task): number {
  const { timestamp } = statusIn(task);
  return typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
}

/** The status of a task; an empty one for a task without a status, or a value that is not a task. */
function statusIn(task: Task | null): Partial<TaskStatus> {
  return task?.status ?? {};
}
