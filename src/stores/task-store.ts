import type { Task, TaskState } from "../protocol/model.js";
import type { LogEntry, StoredEntry, TaskSnapshot } from "../task-log/log.js";

export type { LogEntry, StoredEntry, TaskSnapshot };

/**
 * Whose tasks a store call may touch. Every call carries it; a task outside the scope does not exist for the call
 * (AUTHZ-04, TEN-09). All three parts are opaque and compared exactly.
 */
export interface Scope {
  /** The agent, when several share a process and a store. */
  readonly agent: string;
  /** `""` without tenants. */
  readonly tenant: string;
  /** `""` for the anonymous caller. */
  readonly owner: string;
}

/**
 * The key of a task, or of anything else with a name, among those of all scopes in this process. The lengths come first, so no part
 * can be taken for the end of another.
 * @param name id of the task; `""` for the scope itself
 */
export function keyInScope({ agent, tenant, owner }: Scope, name: string): string {
  return `${agent.length}:${tenant.length}:${owner.length}:${agent}${tenant}${owner}${name}`;
}

/** Filters (joined by AND), place and size of a page of tasks (§3.1.4). */
export interface TaskQuery {
  readonly contextId?: string;
  readonly status?: TaskState;
  /** Tasks whose status timestamp is at or after this instant, as canonical ISO 8601 UTC text with milliseconds. */
  readonly statusTimestampAfter?: string;
  /** 1 to 100. */
  readonly pageSize: number;
  /** Continue behind this place in the order; absent for the first page. */
  readonly position?: PagePosition;
  /**
   * Bytes of tasks that may be read for the page, about. A store that keeps its tasks outside of the process ends the page before the
   * task that would pass this, but not before the first one. One that has them in memory need not.
   */
  readonly maxBytes?: number;
}

/** A place in the order of a list: newest status timestamp first, then task id descending (OP-LIST-07). */
export interface PagePosition {
  readonly timestamp: string;
  readonly taskId: string;
}

/** One page. `next` is absent exactly when no further task matches. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly next?: PagePosition;
  /** Tasks that match the filters in the scope, before paging. */
  readonly totalSize: number;
  /** How many bytes its tasks take, about, where the store knows. */
  readonly bytes?: number;
}

/**
 * Thrown by {@link TaskStore.append} when the log has moved on: another writer was first. Nothing was stored.
 * Local to the process; it never crosses the wire.
 */
export class GenerationConflict extends Error {
  override readonly name = "GenerationConflict";
  /** Generation that the log has now; 0 when it does not exist. */
  readonly current: number;

  constructor(taskId: string, expected: number, current: number) {
    super(`Nothing can be added behind generation ${expected} of task ${taskId}, which is at ${current}`);
    this.current = current;
  }
}

/**
 * Where the logs of tasks live. A task is its log: an append-only sequence of events numbered without gaps; the task that
 * readers see is its fold. An entry is visible to anyone only after it is durable.
 */
export interface TaskStore {
  /**
   * Adds entries behind generation `expected` (0 creates the log), all or none. They are handed over: a store may freeze
   * them, and the caller never changes them again.
   * @returns the generation of the last entry
   * @throws GenerationConflict when the log is not at `expected`, or has ended
   * @throws TypeError when the entries are no part of this task's log: another task's, a `task` event that is not the first
   * entry, or anything behind the entry that ends the task
   * @throws StoreFull when the store has no room for them
   * @throws StoreError when the store cannot store them: its kind says whether the same write may succeed later, whether the
   * store refuses all writes, or whether it refuses these entries
   */
  append(scope: Scope, taskId: string, expected: number, entries: readonly LogEntry[]): Promise<number>;

  /** The task as it stands, or undefined when there is none in the scope. */
  load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined>;

  /**
   * Entries after generation `after`, in order, at most `limit` of them; empty when there are none yet.
   * @param maxBytes bytes of entries that may be read, about. A store that keeps its tasks outside of the process ends before the entry
   * that would pass this, but not before the first one. One that has them in memory need not.
   * @returns undefined when there is no such log in the scope, or when it was compacted and no longer holds that entry
   */
  read(
    scope: Scope,
    taskId: string,
    after: number,
    limit?: number,
    maxBytes?: number,
  ): Promise<readonly StoredEntry[] | undefined>;

  /**
   * Resolves once the log may have moved behind generation `after`, has ended or gone, or `signal` aborted; never rejects for
   * these. A wake-up is a hint, not a promise: the caller reads again.
   */
  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void>;

  /**
   * Asks for the entries of a log to be kept for a reader that is attached to it, also when it is slower than the store's
   * own patience with ended logs. Best effort; a store that never drops entries while someone may read them has no need of it.
   * @returns ends the hold; may be called more than once
   */
  hold?(scope: Scope, taskId: string): () => void;

  /** How many bytes the store holds in the memory of this process, about; for a metric. */
  bytes?(): number;

  /** One page of the tasks in the scope. Tasks come whole; the caller trims history and artifacts. */
  list(scope: Scope, query: TaskQuery): Promise<TaskPage>;
}
