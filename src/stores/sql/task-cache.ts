import { BoundedMap } from "../../collections/bounded-map.js";
import { TaskFold } from "../../task-log/fold.js";
import type { StoredEntry, TaskSnapshot } from "../task-store.js";

/** Maximum number of cached entries per task. */
const MAX_ENTRIES = 512;
/** Number of entries that remain when there were more than {@link MAX_ENTRIES}. */
const ENTRIES_LEFT = 256;

/** Maximum bytes of cached entries per task. The newest entry is kept whatever its size, because readers that keep up need it next. */
const MAX_BYTES = 2 ** 20;

/** Minimum bytes of entries since the last checkpoint for which a running task gets one. */
const CHECKPOINT = 64 * 1024;

/**
 * A cached task: its fold, and its newest entries for readers that keep up. Another process may have appended since, so a caller must ask
 * the database for the current generation. Sizes in bytes are approximate: the length of the JSON text.
 */
export class CachedTask {
  /** Number of the task in the database. The number of a deleted task is not reused. */
  readonly id: number;
  readonly #fold: TaskFold;
  #entries: StoredEntry[] = [];
  /** Bytes of each cached entry, and of all of them together. */
  #sizes: number[] = [];
  #kept = 0;
  /** Bytes of the last checkpoint, and of the entries after it. */
  #checkpoint: number;
  #sinceCheckpoint = 0;

  /** @param from the last checkpoint and its size, if there is one */
  constructor(id: number, from?: { readonly snapshot: TaskSnapshot; readonly bytes: number }) {
    this.id = id;
    this.#fold = new TaskFold(from?.snapshot);
    this.#checkpoint = from?.bytes ?? 0;
  }

  get generation(): number {
    return this.#fold.generation;
  }

  get snapshot(): TaskSnapshot {
    return this.#fold.snapshot();
  }

  /** Number of bytes that are read to load the task: its last checkpoint and the entries after it. */
  get bytes(): number {
    return this.#checkpoint + this.#sinceCheckpoint;
  }

  /** Approximate memory in bytes. */
  get size(): number {
    return 1024 + this.#checkpoint + this.#sinceCheckpoint + Math.max(this.#sinceCheckpoint, this.#kept);
  }

  /**
   * Whether a checkpoint is due once `more` bytes of entries are added: when the entries since the last checkpoint are as large as the
   * checkpoint itself, and have at least 64 KiB. This limits both what is read to load a task and what is written for its checkpoints.
   */
  isCheckpointDue(more: number): boolean {
    return this.#sinceCheckpoint + more >= Math.max(CHECKPOINT, this.#checkpoint);
  }

  /**
   * Appends entries.
   * @param sizes bytes of each entry
   */
  apply(entries: readonly StoredEntry[], sizes: readonly number[]): void {
    for (const [index, entry] of entries.entries()) {
      const bytes = sizes[index] ?? 0;
      this.#fold.apply(entry);
      this.#entries.push(entry);
      this.#sizes.push(bytes);
      this.#sinceCheckpoint += bytes;
      this.#kept += bytes;
    }
    if (this.#entries.length > MAX_ENTRIES) this.#forget(this.#entries.length - ENTRIES_LEFT);
    if (this.#kept > MAX_BYTES) this.#forget(this.#beyond(MAX_BYTES / 2));
  }

  /** Bytes of the entries after the last checkpoint. */
  get uncovered(): number {
    return this.#sinceCheckpoint;
  }

  /**
   * Called after a checkpoint of this size was written.
   * @param covered bytes of the entries that this checkpoint adds to the one before it; by default, those of all entries since that one
   */
  checkpointed(bytes: number, covered = this.#sinceCheckpoint): void {
    this.#checkpoint = bytes;
    this.#sinceCheckpoint -= covered;
  }

  /**
   * Cached entries after a generation, with their size; undefined when the first of them is not cached.
   * @param maxBytes limit on their size; the first entry is returned whatever its size
   */
  read(after: number, limit: number, maxBytes: number): CachedEntries | undefined {
    if (after >= this.generation) return { entries: [], bytes: 0, isComplete: false };
    const first = this.#entries[0]?.generation;
    if (first === undefined || after < first - 1) return undefined;
    const from = after - first + 1;
    const end = Math.min(from + limit, this.#entries.length);
    let bytes = 0;
    for (let index = from; index < end; index += 1) {
      const next = bytes + (this.#sizes[index] ?? 0);
      if (index > from && next > maxBytes)
        return { entries: this.#entries.slice(from, index), bytes, isComplete: true };
      bytes = next;
    }
    return { entries: this.#entries.slice(from, end), bytes, isComplete: end === from + limit };
  }

  /** How many of the oldest entries to drop so that the others are within a limit on bytes; never the newest entry. */
  #beyond(bytes: number): number {
    let count = 0;
    for (let left = this.#kept; left > bytes && count < this.#sizes.length - 1; count += 1)
      left -= this.#sizes[count] ?? 0;
    return count;
  }

  /** Drops the oldest entries. */
  #forget(count: number): void {
    this.#entries = this.#entries.slice(count);
    for (const bytes of this.#sizes.splice(0, count)) this.#kept -= bytes;
  }
}

/** The cached part of the requested entries. */
export interface CachedEntries {
  readonly entries: StoredEntry[];
  readonly bytes: number;
  /** Whether no further entry has to be read from the database, because these reach the requested number or the limit on bytes. */
  readonly isComplete: boolean;
}

/** Tasks by key, up to a limit on memory. The least recently used are dropped first. */
export class TaskCache {
  readonly #tasks: BoundedMap<string, CachedTask>;

  /** @param limit approximate memory of all tasks, in bytes */
  constructor(limit: number) {
    this.#tasks = new BoundedMap(limit, ({ size }) => size);
  }

  /** Approximate memory of all tasks, in bytes. */
  get size(): number {
    return this.#tasks.weight;
  }

  get(key: string): CachedTask | undefined {
    return this.#tasks.use(key);
  }

  /** Adds or replaces a task, and records its current size. */
  put(key: string, task: CachedTask): void {
    this.#tasks.set(key, task);
  }

  drop(key: string): void {
    this.#tasks.delete(key);
  }

  clear(): void {
    this.#tasks.clear();
  }
}
