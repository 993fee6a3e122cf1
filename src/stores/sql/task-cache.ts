import { BoundedMap } from "../../collections/bounded-map.js";
import { TaskFold } from "../../task-log/fold.js";
import type { StoredEntry, TaskSnapshot } from "../task-store.js";

/** Entries kept for readers at most, and what is left when there are more. */
const MOST = 512;
const LEFT = 256;

/** Bytes of entries kept for readers at most; the newest entry is kept whatever its size, because all readers want it next. */
const MOST_BYTES = 2 ** 20;

/** A checkpoint is written for no fewer bytes than these. */
const CHECKPOINT = 64 * 1024;

/**
 * A task that is being worked on or looked at: its fold, and its newest entries for readers that keep up. A copy of what is
 * stored, right as of its own generation; whoever uses it first asks the database which generation that is.
 */
export class CachedTask {
  /** Number of the task in the database; never used again for another task. */
  readonly id: number;
  readonly #fold: TaskFold;
  #entries: StoredEntry[] = [];
  /** Bytes of each of these entries, and of all of them. */
  #sizes: number[] = [];
  #kept = 0;
  /** Bytes of the last checkpoint, and of the entries after it. */
  #checkpoint: number;
  #behind = 0;

  /** @param from the last checkpoint, if there is one, and how many bytes it has */
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

  /** Bytes of what is stored of it: of its last checkpoint, and of the entries after that. */
  get bytes(): number {
    return this.#checkpoint + this.#behind;
  }

  /** About what it takes in memory, in bytes. */
  get size(): number {
    return 1024 + this.#checkpoint + this.#behind + Math.max(this.#behind, this.#kept);
  }

  /**
   * Whether it is time to write a checkpoint with so many bytes of entries more: whenever the entries since the last one are as
   * much as that. So a task costs at most about twice its size to load, and all its checkpoints together about twice its size.
   */
  isDue(more: number): boolean {
    return this.#behind + more >= Math.max(CHECKPOINT, this.#checkpoint);
  }

  /**
   * Takes the next entries in.
   * @param sizes bytes of each of them
   */
  apply(entries: readonly StoredEntry[], sizes: readonly number[]): void {
    for (const [index, entry] of entries.entries()) {
      const bytes = sizes[index] ?? 0;
      this.#fold.apply(entry);
      this.#entries.push(entry);
      this.#sizes.push(bytes);
      this.#behind += bytes;
      this.#kept += bytes;
    }
    if (this.#entries.length > MOST) this.#forget(this.#entries.length - LEFT);
    if (this.#kept > MOST_BYTES) this.#forget(this.#beyond(MOST_BYTES / 2));
  }

  /** A checkpoint of so many bytes was written. */
  checkpointed(bytes: number): void {
    this.#checkpoint = bytes;
    this.#behind = 0;
  }

  /**
   * Entries after a generation, as far as they are known, and how many bytes they have; undefined when the first of them is not known.
   * @param maxBytes bytes that they have at most; the first one is given whatever its size
   */
  read(after: number, limit: number, maxBytes: number): Known | undefined {
    if (after >= this.generation) return { entries: [], bytes: 0, isCut: false };
    const first = this.#entries[0]?.generation;
    if (first === undefined || after < first - 1) return undefined;
    const from = after - first + 1;
    const end = Math.min(from + limit, this.#entries.length);
    let bytes = 0;
    for (let index = from; index < end; index += 1) {
      const next = bytes + (this.#sizes[index] ?? 0);
      if (index > from && next > maxBytes)
        return { entries: this.#entries.slice(from, index), bytes, isCut: true };
      bytes = next;
    }
    return { entries: this.#entries.slice(from, end), bytes, isCut: end === from + limit };
  }

  /** How many entries have to go so that those left have no more than so many bytes; all but the newest at most. */
  #beyond(bytes: number): number {
    let count = 0;
    for (let left = this.#kept; left > bytes && count < this.#sizes.length - 1; count += 1)
      left -= this.#sizes[count] ?? 0;
    return count;
  }

  /** Lets go of the oldest entries. */
  #forget(count: number): void {
    this.#entries = this.#entries.slice(count);
    for (const bytes of this.#sizes.splice(0, count)) this.#kept -= bytes;
  }
}

/** Entries that are known of those asked for. */
export interface Known {
  readonly entries: StoredEntry[];
  readonly bytes: number;
  /** They are as many as were asked for, or as the bytes allow. */
  readonly isCut: boolean;
}

/** Tasks lately used, by where they are; the least lately used ones go when they take too much memory. */
export class TaskCache {
  readonly #tasks: BoundedMap<string, CachedTask>;

  /** @param limit bytes that all of them may take, about */
  constructor(limit: number) {
    this.#tasks = new BoundedMap(limit, ({ size }) => size);
  }

  /** Bytes that all of them take, about. */
  get size(): number {
    return this.#tasks.weight;
  }

  get(place: string): CachedTask | undefined {
    return this.#tasks.use(place);
  }

  /** Adds a task, or notes that it has grown. */
  put(place: string, task: CachedTask): void {
    this.#tasks.set(place, task);
  }

  drop(place: string): void {
    this.#tasks.delete(place);
  }

  clear(): void {
    this.#tasks.clear();
  }
}
