import { runtime } from "#runtime";
import { turns } from "../../async/turns.js";
import { snapshotText } from "./rows.js";
import type { CachedTask, TaskCache } from "./task-cache.js";

/** Tasks of at least this size, in bytes, get their checkpoints after the append that makes them due. */
const LARGE = 2 ** 16;

/** A checkpoint that is ready to be written. */
export interface Checkpoint {
  /** Number of the task in the database. */
  readonly id: number;
  /** Generation of the task in `body`. */
  readonly generation: number;
  /** The result of {@link snapshotText}. */
  readonly body: string;
  /** Owner of the task. */
  readonly owner: string;
}

/**
 * The checkpoints of large tasks. Writing a large task as JSON takes long, so its checkpoint is written after the append, usually in a
 * later turn of the event loop. One is made at a time, to save memory. A task that is not in the cache by then gets none.
 */
export class CheckpointQueue {
  readonly #cache: TaskCache;
  readonly #write: (checkpoint: Checkpoint) => Promise<unknown>;
  /** Owners by the keys of their tasks. */
  readonly #due = new Map<string, string>();
  #isRunning = false;

  /** @param write stores a checkpoint; it leaves a newer one of the same task as it is */
  constructor(cache: TaskCache, write: (checkpoint: Checkpoint) => Promise<unknown>) {
    this.#cache = cache;
    this.#write = write;
  }

  /** Whether the checkpoint of a task of this size is left to the queue. */
  takes(bytes: number): boolean {
    return bytes >= LARGE;
  }

  /** Plans a checkpoint of a task, which is made after the caller has returned. May be called during the transaction that makes it due. */
  add(key: string, owner: string): void {
    this.#due.set(key, owner);
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    await new Promise<void>((resolve) => runtime.afterEvents(resolve));
    for (const [key, owner] of this.#due) {
      this.#due.delete(key);
      try {
        await this.#save(key, owner);
      } catch {
        // Without this checkpoint, loading the task only reads more entries.
      }
    }
    this.#isRunning = false;
  }

  async #save(key: string, owner: string): Promise<void> {
    const turn = turns.enter(owner, this.#cache.get(key)?.bytes ?? 0);
    if (turn !== undefined) await turn;
    const task = this.#cache.get(key);
    const covered = task?.uncovered ?? 0;
    if (task === undefined || covered === 0) return;
    const made = checkpointOf(task, owner);
    const next = turns.worked(made.body.length);
    if (next !== undefined) await next;
    await this.#write(made);
    task.checkpointed(made.body.length, covered);
  }
}

function checkpointOf({ id, snapshot }: CachedTask, owner: string): Checkpoint {
  return { id, generation: snapshot.generation, body: snapshotText(snapshot), owner };
}
