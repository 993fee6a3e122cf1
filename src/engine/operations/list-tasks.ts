import { readPageToken, writePageToken } from "../../json/page-token.js";
import { valueSize } from "../../json/value-size.js";
import { isLonger } from "../../protocol/byte-length.js";
import type { CallContext } from "../../protocol/call-context.js";
import { withGeneration } from "../../protocol/generations.js";
import type { ListTasksRequest, ListTasksResponse, Task, TaskStatus } from "../../protocol/model.js";
import type { Scope, TaskPage, TaskQuery, TaskSnapshot, TaskStore } from "../../stores/task-store.js";
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
  const read = (part: TaskQuery) => {
    const reading = store.list(scope, part);
    return call.generations ? reading.then((page) => withGenerations(page, { store, scope })) : reading;
  };
  let page = await read(query);
  let tasks = page.tasks.map(shown);
  // If the page is too large, a smaller one is read, because only the store knows the position of the next page. It is measured again:
  // its tasks may have changed since the first read.
  for (let fit = countWithin(page, tasks, maxBytes); fit < tasks.length; ) {
    page = await read({ ...query, pageSize: fit });
    tasks = page.tasks.map(shown);
    fit = countWithin(page, tasks, maxBytes);
  }
  return {
    tasks,
    nextPageToken: page.next ? writePageToken(page.next, boundOf(request, scope)) : "",
    pageSize,
    totalSize: page.totalSize,
  };
}

/**
 * A page whose tasks have their generations. If the store returned none, each task is loaded again. A task that was deleted, or whose
 * status has changed in the meantime, stays as it was listed, without a generation: it may no longer match the filter.
 */
async function withGenerations(
  page: TaskPage,
  { store, scope }: { readonly store: TaskStore; readonly scope: Scope },
): Promise<TaskPage> {
  const { tasks, generations, totalSize, next } = page;
  if (generations?.length === tasks.length)
    return { ...page, tasks: tasks.map((task, index) => withGeneration(task, generations[index] ?? 0)) };
  const snapshots = await Promise.all(tasks.map(({ id }) => store.load(scope, id)));
  const loaded = tasks.map((task, index) => loadedTask(snapshots[index], task.status) ?? task);
  // Without `bytes`, because the loaded tasks may be larger than the listed ones.
  return { tasks: loaded, totalSize, ...(next && { next }) };
}

/** The task of a snapshot with its generation; undefined if it has another status. */
function loadedTask(snapshot: TaskSnapshot | undefined, { state, timestamp }: TaskStatus): Task | undefined {
  if (snapshot === undefined) return undefined;
  const { task, generation } = snapshot;
  const isSame = task.status.state === state && task.status.timestamp === timestamp;
  return isSame ? withGeneration(task, generation) : undefined;
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
