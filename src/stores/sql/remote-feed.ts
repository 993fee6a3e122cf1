import { isTerminal } from "../../protocol/lifecycle.js";
import type { LogFeed, LogListener } from "../../task-log/log-feed.js";
import type { Scope, StoredEntry } from "../task-store.js";
import type { TaskCache } from "./task-cache.js";

/** A task whose log is followed. */
export interface FollowedTask {
  readonly key: string;
  readonly scope: Scope;
  readonly taskId: string;
  /** The last generation that the feed has announced to the listeners. */
  generation: number;
  readonly listeners: Set<LogListener>;
}

/** What {@link RemoteFeed} works with. */
export interface RemoteFeedDeps {
  readonly cache: TaskCache;
  /** The key of a task in the cache. */
  keyOf(scope: Scope, taskId: string): string;
  /** Called when a reader begins to follow a log, which may have entries of other processes by then. */
  followed(task: FollowedTask): void;
}

/**
 * Passes the appends of this process to the readers that follow a log, so that they need not ask the database for them. Appends of other
 * processes are found by polls and wake-ups; the readers are told to read.
 */
export class RemoteFeed implements LogFeed<Scope> {
  readonly #deps: RemoteFeedDeps;
  readonly #tasks = new Map<string, FollowedTask>();
  #isClosed = false;

  constructor(deps: RemoteFeedDeps) {
    this.#deps = deps;
  }

  /** The tasks whose logs are followed. */
  get tasks(): IterableIterator<FollowedTask> {
    return this.#tasks.values();
  }

  get isEmpty(): boolean {
    return this.#tasks.size === 0;
  }

  /** Whether the log of a task is followed. */
  has(key: string): boolean {
    return this.#tasks.has(key);
  }

  watch(scope: Scope, taskId: string, listener: LogListener): number | undefined {
    if (this.#isClosed) return undefined;
    const key = this.#deps.keyOf(scope, taskId);
    const snapshot = this.#deps.cache.get(key)?.snapshot;
    if (snapshot === undefined || isTerminal(snapshot.task.status.state)) return undefined;
    const { generation } = snapshot;
    const { generation: known = generation } = this.#tasks.get(key) ?? {};
    // The task in the cache is old, or was created again: where its log ends is not known.
    if (generation < known) return undefined;
    // The cache has entries of which the other readers may not know yet.
    if (generation > known) this.changed(key, generation);
    const task = this.#tasks.get(key) ?? { key, scope, taskId, generation, listeners: new Set() };
    task.listeners.add(listener);
    this.#tasks.set(key, task);
    this.#deps.followed(task);
    return generation;
  }

  unwatch(scope: Scope, taskId: string, listener: LogListener): void {
    const key = this.#deps.keyOf(scope, taskId);
    const task = this.#tasks.get(key);
    task?.listeners.delete(listener);
    if (task?.listeners.size === 0) this.#tasks.delete(key);
  }

  /** Passes on entries that this process has appended. If the readers were told of later ones, they are told to read. */
  appended(key: string, entries: readonly StoredEntry[]): void {
    const task = this.#tasks.get(key);
    if (task === undefined) return;
    const last = entries.at(-1)?.generation ?? 0;
    if (last < task.generation) {
      this.changed(key);
      return;
    }
    task.generation = last;
    for (const listener of [...task.listeners]) listener.appended(entries);
  }

  /**
   * Tells the readers of a log that it may have changed.
   * @param generation the last one of the log, if it is known
   */
  changed(key: string, generation?: number): void {
    const task = this.#tasks.get(key);
    if (task === undefined) return;
    if (generation !== undefined) task.generation = generation;
    for (const listener of [...task.listeners]) listener.changed();
  }

  /** Tells all readers to read, which fails once the store is closed. From then on, {@link watch} adds no listener. */
  close(): void {
    this.#isClosed = true;
    for (const key of [...this.#tasks.keys()]) this.changed(key);
  }
}
