import { TaskFold } from "../../task/fold.js";
import type { StoredEntry, TaskSnapshot } from "../task-store.js";

/** Entries kept for readers at most, and what is left when there are more. */
const MOST = 512;
const LEFT = 256;

/** A checkpoint is written for no fewer bytes than these. */
const CHECKPOINT = 64 * 1024;

/**
 * A task that is being worked on or looked at: its fold, and its newest entries for readers that keep up. A copy of what is
 * stored, right as of its own generation; whoever uses it first asks the database which generation that is.
 */
export class HotTask {
  /** Number of the task in the database; never used again for another task. */
  readonly id: number;
  readonly #fold: TaskFold;
  #entries: StoredEntry[] = [];
  /** Bytes of the last checkpoint, and of the entries behind it. */
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
    return 1024 + this.#checkpoint + 2 * this.#behind;
  }

  /**
   * Whether it is time to write a checkpoint with so many bytes of entries more: whenever the entries since the last one are as
   * much as that. So a task costs at most about twice its size to load, and all its checkpoints together about twice its size.
   */
  isDue(more: number): boolean {
    return this.#behind + more >= Math.max(CHECKPOINT, this.#checkpoint);
  }

  /** Takes the next entries in. */
  apply(entries: readonly StoredEntry[], bytes: number): void {
    for (const entry of entries) {
      this.#fold.apply(entry);
      this.#entries.push(entry);
    }
    this.#behind += bytes;
    if (this.#entries.length > MOST) this.#entries = this.#entries.slice(-LEFT);
  }

  /** A checkpoint of so many bytes was written. */
  checkpointed(bytes: number): void {
    this.#checkpoint = bytes;
    this.#behind = 0;
  }

  /** Entries behind a generation, as far as they are known; undefined when the first of them is not. */
  read(after: number, limit: number): StoredEntry[] | undefined {
    if (after >= this.generation) return [];
    const first = this.#entries[0]?.generation;
    if (first === undefined || after < first - 1) return undefined;
    return this.#entries.slice(after - first + 1, after - first + 1 + limit);
  }
}
