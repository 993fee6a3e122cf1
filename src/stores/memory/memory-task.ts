import { isTerminal } from "../../protocol/lifecycle.js";
import type { Task, TaskStatus } from "../../protocol/model.js";
import { TaskFold } from "../../task-log/fold.js";
import type { StoredEntry, TaskSnapshot } from "../task-store.js";
import type { Counted, Owner } from "./owner.js";

/**
 * One task in memory. While it is open it has a log and the fold of it; once it has ended it has the task itself, and the
 * log only until it is compacted. There may be millions of these: a few plain members, nothing else.
 */
export class MemoryTask implements Counted {
  /** Where the store keeps its scope. */
  readonly scopeKey: string;
  readonly owner: Owner;
  /** What it takes in memory, its push configs included, about. */
  bytes = 0;
  older: Counted | undefined = undefined;
  newer: Counted | undefined = undefined;
  /** Of the last entry; 0 before the first. */
  generation = 0;
  /** Milliseconds since 1970 of the last entry, as far as retention asks for it. */
  at = 0;
  #fold: TaskFold | undefined = new TaskFold();
  #task: Task | undefined = undefined;
  #version: string | undefined = undefined;
  #log: StoredEntry[] | undefined = [];
  #gone = false;

  constructor(scopeKey: string, owner: Owner) {
    this.scopeKey = scopeKey;
    this.owner = owner;
  }

  /** No entry can follow. */
  get ended(): boolean {
    return this.#task !== undefined || this.#gone;
  }

  /** It was removed from the store, and has nothing any more. */
  get gone(): boolean {
    return this.#gone;
  }

  get status(): TaskStatus {
    return this.#task?.status ?? this.#open().status;
  }

  /** What lists are ordered by; `""` for a task whose status has none. */
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

  /** Takes entries in that {@link prepare} has made for it. */
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
    // A list that has grown has room to grow on; this one is done.
    this.#log = this.#log?.slice();
  }

  /** Entries behind a generation; undefined when there are such entries but they are no longer held. */
  read(after: number, limit: number): readonly StoredEntry[] | undefined {
    if (after >= this.generation) return [];
    return this.#log?.slice(Math.max(after, 0), Math.max(after, 0) + limit);
  }

  /** Lets go of the entries; the task stays. */
  compact(): void {
    this.#log = undefined;
  }

  /** Lets go of everything: queues may hold the object for some time after it was removed. */
  release(): void {
    this.#gone = true;
    this.#log = undefined;
    this.#fold = undefined;
    this.#task = undefined;
  }

  #open(): TaskFold {
    if (this.#fold === undefined) throw new Error("The log has ended");
    return this.#fold;
  }
}
