import { readPageToken, writePageToken } from "../json/page-token.js";
import type { ListTasksRequest, ListTasksResponse, Task } from "../protocol/model.js";
import { limitHistory, listed } from "../task-log/history.js";

/** Default of `pageSize` (§3.1.4). */
const PAGE_SIZE = 50;

/**
 * Answers ListTasks from tasks in memory (§3.1.4): filtered as the request says, newest status first, with a page token that is bound to the
 * caller and the filters. A page has at most `pageSize` tasks, 50 by default.
 *
 * @param tasks the tasks of this caller, in any order
 * @param caller distinguishes callers from each other, such as `call.principal.id`
 * @throws A2AError INVALID_PARAMS naming `pageToken`
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
  const { pageSize = PAGE_SIZE, pageToken, historyLength, includeArtifacts = false } = request;
  const { contextId = "", status = "", statusTimestampAfter = "" } = request;
  const from = statusTimestampAfter === "" ? "" : utc(statusTimestampAfter);
  const bound = [caller, contextId, status, statusTimestampAfter];
  const found = [...tasks]
    .filter((task) => contextId === "" || task.contextId === contextId)
    .filter((task) => status === "" || status === "TASK_STATE_UNSPECIFIED" || task.status.state === status)
    .map((task) => ({ task, timestamp: utc(task.status.timestamp ?? 0), taskId: task.id }))
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

/** A position in the list. */
interface Place {
  readonly timestamp: string;
  readonly taskId: string;
}

function compare(a: Place, b: Place): number {
  const [first, second] = a.timestamp === b.timestamp ? [a.taskId, b.taskId] : [a.timestamp, b.timestamp];
  return first < second ? -1 : Number(first > second);
}

/** Times in one form, so that they are compared as text. */
function utc(time: string | number): string {
  return new Date(time).toISOString();
}
