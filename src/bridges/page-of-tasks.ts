import { readPageToken, writePageToken } from "../json/page-token.js";
import { argumentError, assertObject } from "../protocol/argument.js";
import { invalidParams } from "../protocol/errors.js";
import type { ListTasksRequest, ListTasksResponse, Task } from "../protocol/model.js";
import { limitHistory, listed } from "../task-log/history.js";

/** Default of `pageSize` (§3.1.4). */
const PAGE_SIZE = 50;

/**
 * Answers ListTasks from tasks in memory (§3.1.4): filtered as the request says, newest status first, with a page token that is bound to
 * the caller and the filters. Tasks whose status has no timestamp come last, and `statusTimestampAfter` leaves them out. A page has at
 * most `pageSize` tasks, 50 by default.
 *
 * @param tasks the tasks of this caller, in any order
 * @param caller distinguishes callers from each other, such as `call.principal.id`
 * @throws A2AError INVALID_PARAMS naming `pageToken` or `statusTimestampAfter`
 * @throws TypeError for arguments of other types
 * @example
 * ```ts
 * const tasks: Task[] = [];
 * class Jobs extends UnimplementedHandler<CallContext> {
 *   override async listTasks(request: ListTasksRequest, call: CallContext) {
 *     return pageOfTasks(tasks, request, call.principal.id);
 *   }
 * }
 * ```
 */
export function pageOfTasks(
  tasks: Iterable<Task>,
  request: ListTasksRequest,
  caller: string,
): ListTasksResponse {
  const list = tasksIn(tasks);
  assertObject(request, "pageOfTasks needs the request of ListTasks");
  if (typeof caller !== "string")
    throw argumentError("pageOfTasks needs the caller as a string, such as call.principal.id", caller);
  const { pageSize = PAGE_SIZE, pageToken, historyLength, includeArtifacts = false } = request;
  const { contextId = "", status = "", statusTimestampAfter = "" } = request;
  const from = statusTimestampAfter === "" ? "" : startOf(statusTimestampAfter);
  const bound = [caller, contextId, status, statusTimestampAfter];
  const found = list
    .filter((task) => contextId === "" || task.contextId === contextId)
    .filter((task) => status === "" || status === "TASK_STATE_UNSPECIFIED" || task.status.state === status)
    .map((task) => ({ task, timestamp: timeOf(task), taskId: task.id }))
    .filter(({ timestamp }) => timestamp >= from)
    .sort((a, b) => compare(b, a));
  const after = pageToken ? readPageToken(pageToken, bound) : undefined;
  const rest = after === undefined ? found : found.filter((entry) => compare(entry, after) < 0);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tasks: page.map(({ task }) => listed(limitHistory(task, historyLength), includeArtifacts)),
    nextPageToken: last !== undefined && rest.length > page.length ? writePageToken(last, bound) : "",
    pageSize,
    totalSize: found.length,
  };
}

/**
 * The tasks as a list.
 * @throws TypeError for what is not iterable, and for an element that is not a task or whose status has an invalid time
 */
function tasksIn(tasks: Iterable<Task>): Task[] {
  if (typeof tasks === "string" || typeof Object(tasks)[Symbol.iterator] !== "function")
    throw argumentError("pageOfTasks needs the tasks of the caller, such as a list", tasks);
  const list = [...tasks];
  for (const [place, task] of list.entries()) {
    const { id, status } = Object(task) as Partial<Task>;
    const needs = `pageOfTasks needs tasks with { id, status }: the one at ${place}`;
    if (typeof id !== "string" || typeof status !== "object" || status === null)
      throw argumentError(`${needs} must be a task`, task);
    if (status.timestamp !== undefined && Number.isNaN(Date.parse(status.timestamp)))
      throw new TypeError(`${needs} has a status.timestamp that is not a time`);
  }
  return list;
}

/** @throws A2AError INVALID_PARAMS for a text that is not a time */
function startOf(statusTimestampAfter: string): string {
  if (Number.isNaN(Date.parse(statusTimestampAfter)))
    throw invalidParams("statusTimestampAfter", "must be a timestamp");
  return utc(statusTimestampAfter);
}

/** A position in the list. */
interface Place {
  readonly timestamp: string;
  readonly taskId: string;
}

function compare(a: Place, b: Place): number {
  const [first, second] = a.timestamp === b.timestamp ? [a.taskId, b.taskId] : [a.timestamp, b.timestamp];
  return first < second ? -1 : Number(first > second);
}

/** The time of the status; `""`, which sorts before every time, if it has none. */
function timeOf({ status: { timestamp } }: Task): string {
  return timestamp === undefined ? "" : utc(timestamp);
}

/** The digits after the seconds of a time, up to nanoseconds. */
const FRACTION = /:\d\d\.(\d{1,9})/;

/** Times in one form, with nine fraction digits, so that they are compared as text. */
function utc(time: string): string {
  const [, fraction = ""] = FRACTION.exec(time) ?? [];
  const seconds = new Date(time).toISOString().slice(0, -".000Z".length);
  return `${seconds}.${fraction.padEnd(9, "0")}Z`;
}
