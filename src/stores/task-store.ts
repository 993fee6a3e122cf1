import type { Task, TaskState } from "../protocol/model.js";
import type { LogEntry, StoredEntry, TaskSnapshot } from "../task-log/log.js";

export type { LogEntry, StoredEntry, TaskSnapshot };

/**
 * Separates the tasks of different agents, tenants and owners. To a call, tasks outside its scope do not exist (§3.3.2, §13.1). All three
 * parts are opaque and compared exactly.
 */
export interface Scope {
  /** The path at which the server mounts the agent, `""` for the root. Several agents may share a store. */
  readonly agent: string;
  /** By default the tenant of the request, `""` without one. */
  readonly tenant: string;
  /** By default the id of the principal, `""` for the anonymous one. */
  readonly owner: string;
}

/**
 * The key of a task, or of another named item, that is unique over all scopes. It starts with the lengths of the parts, so that
 * different scopes have different keys.
 * @param name id of the task, or name of the item; `""` for the scope itself
 */
export function keyInScope({ agent, tenant, owner }: Scope, name: string): string {
  return `${agent.length}:${tenant.length}:${owner.length}:${agent}${tenant}${owner}${name}`;
}

/** Filters (joined by AND), position and size of a page of tasks (§3.1.4). */
export interface TaskQuery {
  /** Tasks of this context. */
  readonly contextId?: string;
  /** Tasks in this state. */
  readonly status?: TaskState;
  /** Tasks whose status timestamp is at or after this instant: ISO 8601 in UTC, with three to nine fraction digits. */
  readonly statusTimestampAfter?: string;
  /** 1 to 100. */
  readonly pageSize: number;
  /** Position after which the page starts; absent for the first page. */
  readonly position?: PagePosition;
  /**
   * Approximate limit on the bytes of tasks read for the page. A database store ends the page before the task that would exceed it,
   * but reads at least one task. An in-memory store may ignore it.
   */
  readonly maxBytes?: number;
}

/** A position in the order of a list: newest status timestamp first, then descending task id (§3.1.4). */
export interface PagePosition {
  /** Status timestamp of the task at the position; `""` without one. */
  readonly timestamp: string;
  /** Id of the task at the position. */
  readonly taskId: string;
}

/** One page of tasks. */
export interface TaskPage {
  /** The tasks in the order of the list, complete. */
  readonly tasks: readonly Task[];
  /** Position of the last task, after which the next page starts; absent on the last page. */
  readonly next?: PagePosition;
  /** Number of tasks in the scope that match the filters, over all pages. */
  readonly totalSize: number;
  /** Approximate size of the page's tasks in bytes, if the store knows it. */
  readonly bytes?: number;
  /**
   * The generations of the tasks, in their order. Without them the server loads each task again for callers of a version that shows them,
   * and shows none for a task whose status has changed in the meantime.
   */
  readonly generations?: readonly number[];
}

/**
 * Thrown by {@link TaskStore.append} when the log has ended or is not at the expected generation, usually because another writer
 * appended first. Nothing was stored. Local to the process; it never crosses the wire.
 * @example `if (error instanceof GenerationConflict) console.log("the log is at", error.current);`
 */
export class GenerationConflict extends Error {
  override readonly name = "GenerationConflict";
  /** Current generation of the log; 0 when there is none. */
  readonly current: number;

  constructor(taskId: string, expected: number, current: number) {
    const reason = current === expected ? "the task has ended" : `the log is at ${current}`;
    super(`Cannot append after generation ${expected} of task ${taskId}: ${reason}`);
    this.current = current;
  }
}

/**
 * Keeps the logs of tasks. A task is its log: an append-only sequence of events, numbered without gaps. Its current state is the fold
 * of the log. Readers see an entry only after it is stored.
 *
 * @example
 * ```ts
 * const generation = await store.append(scope, "task-1", 0, [{ event: { task } }]); // 1
 * const snapshot = await store.load(scope, "task-1"); // { task, generation: 1 }
 * ```
 */
export interface TaskStore {
  /**
   * Appends entries after generation `expected` (0 creates the log): all of them or none. The store owns them from then on: it may
   * freeze them, and the caller must not change them.
   * @returns the generation of the last entry; `expected` without entries
   * @throws GenerationConflict when the log is not at `expected`, or has ended
   * @throws TypeError for invalid entries: an entry without an event of this task, a `task` event that is not the first of the log, a log
   * that does not begin with one, or an entry after the one that ends the task
   * @throws StoreFull when the store has no room
   * @throws StoreError when the write itself fails; its kind says why
   */
  append(scope: Scope, taskId: string, expected: number, entries: readonly LogEntry[]): Promise<number>;

  /** The current task; undefined when there is none in the scope. */
  load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined>;

  /**
   * Reads at most `limit` entries, by default all, after generation `after`, in order; an empty list when there are none.
   * @param maxBytes approximate limit on their size. A database store stops before the entry that would exceed it, but returns at
   * least one entry. An in-memory store may ignore it.
   * @returns undefined when the scope has no such log, or the log was compacted and no longer holds the next entry
   */
  read(
    scope: Scope,
    taskId: string,
    after: number,
    limit?: number,
    maxBytes?: number,
  ): Promise<readonly StoredEntry[] | undefined>;

  /**
   * Resolves once the log may be past generation `after`, has ended or does not exist, or `signal` is aborted; never rejects for these
   * reasons. Resolving is only a hint: the caller reads again.
   */
  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void>;

  /**
   * Asks the store to keep the entries of a log for an attached reader, even if the reader is slower than the `grace` of the store.
   * Best effort; a store that keeps its entries anyway need not implement it.
   * @returns a function that ends the hold and may be called more than once
   */
  hold?(scope: Scope, taskId: string): () => void;

  /** Approximate memory that the store uses in this process, in bytes, for a metric. */
  bytes?(): number;

  /**
   * Approximate stored size of a task in bytes. The engine asks for it just after the task was loaded.
   * @returns undefined if the store would have to read the task to know it
   */
  sizeOf?(scope: Scope, taskId: string): number | undefined;

  /** Lists one page of tasks in the scope. Tasks are complete; the caller trims history and artifacts. */
  list(scope: Scope, query: TaskQuery): Promise<TaskPage>;
}
