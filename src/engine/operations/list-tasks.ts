import { readPageToken, writePageToken } from "../../json/page-token.js";
import { valueSize } from "../../json/value-size.js";
import { isLonger } from "../../protocol/byte-length.js";
import type { CallContext } from "../../protocol/call-context.js";
import { withGeneration } from "../../protocol/generations.js";
import type { ListTasksRequest, ListTasksResponse, Task } from "../../protocol/model.js";
import type { Scope, TaskPage, TaskQuery, TaskStore } from "../../stores/task-store.js";
import { limitHistory, listed } from "../../task-log/history.js";
import type { EngineOptions } from "../engine-options.js";

/** Default of `pageSize` (§3.1.4). */
const PAGE_SIZE = 50;

/** The part of the engine's options that the operation reads. */
type Options = Pick<EngineOptions, "store" | "scopeOf" | "maxName" | "maxPage">;

/**
 * ListTasks (§3.1.4): one page of the caller's tasks, by the timestamp of their status, newest first.
 * @throws A2AError INVALID_PARAMS naming `pageToken`; what `scopeOf` or the store throws
 */
export async function listTasks(
  { scopeOf, store, maxName = Infinity, maxPage: maxBytes = Infinity }: Options,
  request: ListTasksRequest,
  call: CallContext,
): Promise<ListTasksResponse> {
  const { contextId, pageSize = PAGE_SIZE, historyLength, includeArtifacts = false } = request;
  if (contextId && isLonger(contextId, maxName)) {
    return { tasks: [], nextPageToken: "", pageSize, totalSize: 0 };
  }
  const scope = scopeOf(call);
  const query = queryOf(request, scope, pageSize, maxBytes);
  const shown = (task: Task) => listed(limitHistory(task, historyLength), includeArtifacts);
  let page = await store.list(scope, query);
  let tasks = page.tasks.map(shown);
  // If the page is too large, a smaller one is read, because only the store knows the position of the next page. It is measured again:
  // its tasks may have changed since the first read.
  for (let fit = countWithin(page, tasks, maxBytes); fit < tasks.length; ) {
    page = await store.list(scope, { ...query, pageSize: fit });
    tasks = page.tasks.map(shown);
    fit = countWithin(page, tasks, maxBytes);
  }
  if (call.generations) tasks = (await withGenerations(page, { store, scope })).map(shown);
  return {
    tasks,
    nextPageToken: page.next ? writePageToken(page.next, boundOf(request, scope)) : "",
    pageSize,
    totalSize: page.totalSize,
  };
}

/**
 * The tasks of a page with their generations. If the page does not have these, each task is loaded again, and a task that was deleted in
 * the meantime gets none.
 */
async function withGenerations(
  { tasks, generations }: TaskPage,
  { store, scope }: { readonly store: TaskStore; readonly scope: Scope },
): Promise<readonly Task[]> {
  if (generations?.length === tasks.length)
    return tasks.map((task, index) => withGeneration(task, generations[index] ?? 0));
  const snapshots = await Promise.all(tasks.map(({ id }) => store.load(scope, id)));
  return tasks.map((task, index) => {
    const snapshot = snapshots[index];
    return snapshot === undefined ? task : withGeneration(snapshot.task, snapshot.generation);
  });
}

function queryOf(request: ListTasksRequest, scope: Scope, pageSize: number, maxBytes: number): TaskQuery {
  const { contextId, status, pageToken, statusTimestampAfter } = request;
  return {
    pageSize,
    maxBytes,
    ...(contextId && { contextId }),
    ...(status && status !== "TASK_STATE_UNSPECIFIED" && { status }),
    ...(statusTimestampAfter && { statusTimestampAfter: inUtc(statusTimestampAfter) }),
    ...(pageToken && { position: readPageToken(pageToken, boundOf(request, scope)) }),
  };
}

/** Converts a timestamp to UTC. Keeps all digits of its fraction, of which a `Date` has three. */
function inUtc(timestamp: string): string {
  const [, finer = ""] = /\.\d{3}(\d+)/.exec(timestamp) ?? [];
  return new Date(timestamp).toISOString().replace("Z", `${finer}Z`);
}

/** What a page token is bound to. */
function boundOf(request: ListTasksRequest, { agent, tenant, owner }: Scope): readonly string[] {
  const { contextId = "", status = "", statusTimestampAfter = "" } = request;
  return [agent, tenant, owner, contextId, status, statusTimestampAfter];
}

/**
 * Counts the tasks of a page that may be sent together: at least one, whatever its size, unless the page is empty.
 * @param page the page as stored; the tasks are measured only if its `bytes` are unknown or above the limit
 * @param tasks the tasks with the history and artifacts that are sent
 * @param maxBytes maximum of their approximate size
 */
function countWithin({ bytes }: TaskPage, tasks: readonly Task[], maxBytes: number): number {
  if (tasks.length <= 1 || (bytes !== undefined && bytes <= maxBytes)) return tasks.length;
  let sum = 0;
  for (const [index, task] of tasks.entries()) {
    sum += valueSize(task);
    if (sum > maxBytes) return Math.max(index, 1);
  }
  return tasks.length;
}
