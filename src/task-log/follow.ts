import { isTerminal } from "../protocol/lifecycle.js";
import type { StoredEntry, TaskSnapshot } from "./log.js";
import { feedOf } from "./log-feed.js";

/**
 * Entries per read, and bytes per read: enough to catch up fast, small enough that a stalled reader holds little
 * memory.
 */
const BATCH = 256;
const BATCH_BYTES = 2 ** 18;

/** The calls of a task store that a cursor needs; see {@link TaskStore}. */
export interface LogSource<Scope> {
  load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined>;
  read(
    scope: Scope,
    taskId: string,
    after: number,
    limit?: number,
    maxBytes?: number,
  ): Promise<readonly StoredEntry[] | undefined>;
  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void>;
  hold?(scope: Scope, taskId: string): () => void;
}

/** A batch of entries, or the end. */
type Batch = IteratorResult<readonly StoredEntry[], undefined>;

const over: Batch = Object.freeze({ done: true, value: undefined });

/** The last generation of a log whose store has not told it. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/**
 * A cursor on a task's log: gives the entries after generation `after`, then further ones as they are appended, in
 * order and without gaps. A slow reader lags and loses nothing (§3.5.2): it is not queued for, it reads on where it is. A reader that
 * has read all entries gets the next ones from the feed of the store, if there is one, and else waits and reads.
 *
 * Ends after the entry that ends the task, when the signal aborts, or when the store no longer has the log or the
 * position in it; in the last case the entries do not reach a terminal state. To stop early, return the iterator, as
 * `for await` does; it may wait for entries then. Batches are asked for one at a time.
 */
export class LogCursor<Scope> implements AsyncIterableIterator<readonly StoredEntry[]> {
  readonly #source: LogSource<Scope>;
  readonly #scope: Scope;
  readonly #taskId: string;
  readonly #signal: AbortSignal;
  #generation: number;
  /** The last generation of the log, as the feed has told it. */
  #latest = UNKNOWN;
  #hasBegun = false;
  #hasGiven = false;
  #isOver = false;
  #release: (() => void) | undefined;
  /** Leaves the feed; undefined when there is none. */
  #unwatch: (() => void) | undefined;
  /** Answers the read that waits for the feed. */
  #answer: ((batch: Batch | Promise<Batch>) => void) | undefined;

  // biome-ignore lint/complexity/useMaxParams: the parameters of the store's own calls, in their order.
  constructor(source: LogSource<Scope>, scope: Scope, taskId: string, after: number, signal: AbortSignal) {
    this.#source = source;
    this.#scope = scope;
    this.#taskId = taskId;
    this.#generation = after;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Batch> {
    if (!this.#hasBegun) this.#begin();
    if (this.#isOver) return Promise.resolve(over);
    return this.#latest === this.#generation ? this.#fed() : this.#read();
  }

  /** Ends the cursor, also while a read waits. */
  return(): Promise<Batch> {
    this.#end();
    return Promise.resolve(over);
  }

  #begin(): void {
    this.#hasBegun = true;
    if (this.#signal.aborted) this.#isOver = true;
    if (this.#isOver) return;
    this.#release = this.#source.hold?.(this.#scope, this.#taskId);
    this.#unwatch = feedOf<Scope>(this.#source)?.watch(this.#scope, this.#taskId, this.#appended);
    // A wait listens to the signal itself.
    if (this.#unwatch !== undefined) this.#signal.addEventListener("abort", this.#end);
  }

  readonly #end = (): void => {
    this.#isOver = true;
    this.#unwatch?.();
    this.#release?.();
    if (this.#unwatch !== undefined) this.#signal.removeEventListener("abort", this.#end);
    this.#unwatch = undefined;
    this.#release = undefined;
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.(over);
  };

  /** Waits for the feed: all entries have been read. */
  #fed(): Promise<Batch> {
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  readonly #appended = (entries: readonly StoredEntry[]): void => {
    this.#latest = entries.at(-1)?.generation ?? UNKNOWN;
    const answer = this.#answer;
    if (answer === undefined) return;
    this.#answer = undefined;
    const isNext = entries[0]?.generation === this.#generation + 1;
    answer(isNext ? this.#give(entries) : this.#read());
  };

  async #read(): Promise<Batch> {
    try {
      for (;;) {
        const after = this.#generation;
        if (this.#latest === UNKNOWN) this.#latest = after;
        const entries = await readBatch(this.#source, this.#scope, this.#taskId, after);
        if (entries === undefined || this.#isEnded) break;
        if (entries.length > 0) return this.#give(entries);
        if (!this.#hasGiven && (await isOver(this.#source, this.#scope, this.#taskId, after))) break;
        if (this.#isEnded) break;
        if (this.#unwatch === undefined)
          await this.#source.wait(this.#scope, this.#taskId, after, this.#signal);
        else if (this.#latest <= after) return this.#fed();
        if (this.#isEnded) break;
      }
    } catch (error) {
      this.#end();
      throw error;
    }
    return this.return();
  }

  get #isEnded(): boolean {
    return this.#isOver || this.#signal.aborted;
  }

  #give(entries: readonly StoredEntry[]): Batch {
    const last = entries.at(-1) as StoredEntry;
    this.#hasGiven = true;
    this.#generation = last.generation;
    // There may be more than one read gives.
    if (this.#latest < last.generation) this.#latest = UNKNOWN;
    if (ends(last)) this.#end();
    return { done: false, value: entries };
  }
}

/** Reads a log from a place on. See {@link LogCursor}. */
// biome-ignore lint/complexity/useMaxParams: the parameters of the store's own calls, in their order.
export function follow<Scope>(
  store: LogSource<Scope>,
  scope: Scope,
  taskId: string,
  after: number,
  signal: AbortSignal,
): LogCursor<Scope> {
  return new LogCursor(store, scope, taskId, after, signal);
}

/** Reads a bounded number of entries after generation `after`, and of bounded size: one entry at least, unless there is none. */
export function readBatch<Scope>(
  store: Pick<LogSource<Scope>, "read">,
  scope: Scope,
  taskId: string,
  after: number,
): Promise<readonly StoredEntry[] | undefined> {
  return store.read(scope, taskId, after, BATCH, BATCH_BYTES);
}

/**
 * The entries after generation `after` that the log has now, batch by batch: a log may be larger than the memory that is left.
 * Ends early when the store no longer has the log or the position in it.
 */
export async function* readLog<Scope>(
  store: Pick<LogSource<Scope>, "read">,
  scope: Scope,
  taskId: string,
  after: number,
): AsyncGenerator<readonly StoredEntry[]> {
  for (let generation = after; ; ) {
    const entries = await readBatch(store, scope, taskId, generation);
    const last = entries?.at(-1);
    if (entries === undefined || last === undefined) return;
    generation = last.generation;
    yield entries;
  }
}

/** Whether no entry can follow `generation`. The reader may have begun at the end of a log, or past it. */
async function isOver<Scope>(
  store: LogSource<Scope>,
  scope: Scope,
  taskId: string,
  generation: number,
): Promise<boolean> {
  const snapshot = await store.load(scope, taskId);
  if (snapshot === undefined) return true;
  return snapshot.generation <= generation && isTerminal(snapshot.task.status.state);
}

function ends({ event }: StoredEntry): boolean {
  const status = event.task?.status ?? event.statusUpdate?.status;
  return status !== undefined && isTerminal(status.state);
}
