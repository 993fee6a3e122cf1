import { isTerminal } from "../../protocol/lifecycle.js";
import type { Task, TaskStatus } from "../../protocol/model.js";
import { TaskFold } from "../../task-log/fold.js";
import type { LogListener } from "../../task-log/log-feed.js";
import type { StoredEntry, TaskSnapshot } from "../task-store.js";
import type { Counted, Owner } from "./owner.js";

/**
 * One task in memory. An open task has a log and the fold of the log. An ended task has the folded task, and the log until it is
 * compacted. A released task has neither. A store can have very many of these objects, and each member costs memory in all of them.
 */
export class MemoryTask implements Counted {
  /** Key of its scope in the store. */
  readonly scopeKey: string;
  readonly owner: Owner;
  /** Approximate memory in bytes, including its push configs. */
  bytes = 0;
  older: Counted | undefined = undefined;
  newer: Counted | undefined = undefined;
  /** Generation of the last entry; 0 before the first. */
  generation = 0;
  /** The time from which retention counts, in milliseconds since 1970; 0 until retention needs it. */
  at = 0;
  /** Whether a reader was ever attached to the log. Also set when a task with push configs ends. */
  followed = false;
  #fold: TaskFold | undefined = new TaskFold();
  #task: Task | undefined = undefined;
  #version: string | undefined = undefined;
  #log: StoredEntry[] | undefined = [];
  #gone = false;
  #listeners: Set<LogListener> | undefined = undefined;

  constructor(scopeKey: string, owner: Owner) {
    this.scopeKey = scopeKey;
    this.owner = owner;
  }

  /** Whether the task has ended or was released, so that no entry can follow. */
  get ended(): boolean {
    return this.#task !== undefined || this.#gone;
  }

  /** Whether the task was removed from the store and released; see {@link release}. */
  get gone(): boolean {
    return this.#gone;
  }

  /** Whether the entries were dropped. */
  get isCompacted(): boolean {
    return this.#log === undefined;
  }

  get status(): TaskStatus {
    return this.#task?.status ?? this.#open().status;
  }

  /** The timestamp by which lists are ordered; `""` for a status without one. */
  get timestamp(): string {
    return this.status.timestamp ?? "";
  }

  get task(): Task {
    return this.#task ?? this.#open().snapshot().task;
  }

  get id(): string {
    return this.#task?.id ?? this.#open().id;
  }

  get contextId(): string | undefined {
    return this.#task === undefined ? this.#open().contextId : this.#task.contextId;
  }

  get snapshot(): TaskSnapshot {
    if (this.#fold !== undefined) return this.#fold.snapshot();
    const version = this.#version;
    const snapshot = { task: this.task, generation: this.generation };
    return Object.freeze(version === undefined ? snapshot : { ...snapshot, version });
  }

  /** Appends entries that `prepare` has made. */
  append(entries: readonly StoredEntry[]): void {
    const fold = this.#open();
    for (const entry of entries) {
      fold.apply(entry);
      this.#log?.push(entry);
    }
    this.generation = fold.generation;
    if (!isTerminal(fold.status.state)) return;
    const { task, version } = fold.snapshot();
    this.#task = task;
    this.#version = version;
    this.#fold = undefined;
    // An array that has grown has spare capacity, which a finished log does not need.
    this.#log = this.#log?.slice();
  }

  /** At most `limit` entries after a generation, in order; undefined if there are some and they were dropped. */
  read(after: number, limit: number): readonly StoredEntry[] | undefined {
    if (after >= this.generation) return [];
    return this.#log?.slice(Math.max(after, 0), Math.max(after, 0) + limit);
  }

  /** Adds a listener; returns 1, or 0 if it is registered already. */
  watch(listener: LogListener): number {
    const listeners = this.#listeners ?? new Set();
    const before = listeners.size;
    this.#listeners = listeners.add(listener);
    return listeners.size - before;
  }

  /** Removes a listener; returns 1, or 0 if it is not registered. */
  unwatch(listener: LogListener): number {
    const isRemoved = this.#listeners?.delete(listener) ?? false;
    if (this.#listeners?.size === 0) this.#listeners = undefined;
    return isRemoved ? 1 : 0;
  }

  /** Passes appended entries to the listeners. An empty list tells them that the task was deleted. */
  notify(entries: readonly StoredEntry[]): void {
    if (this.#listeners === undefined) return;
    for (const listener of this.#listeners) listener.appended(entries);
  }

  /** Drops the entries and keeps the task. */
  compact(): void {
    this.#log = undefined;
  }

  /**
   * Frees the memory of a deleted task, to which queues may still refer, and notifies the listeners of the deletion.
   * @returns the number of listeners
   */
  release(): number {
    this.#gone = true;
    this.#log = undefined;
    this.#fold = undefined;
    this.#task = undefined;
    const count = this.#listeners?.size ?? 0;
    this.notify([]);
    this.#listeners = undefined;
    return count;
  }

  #open(): TaskFold {
    if (this.#fold === undefined) throw new Error("The task has ended or was released");
    return this.#fold;
  }
}
