import { setTimeout } from "node:timers/promises";
import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import { turns } from "../../async/turns.js";
import { FairQueue } from "../../collections/fair-queue.js";
import type { SqliteDatabase } from "./database.js";
import { isBusy, isDatabaseFault, storeError } from "./database-fault.js";

/** About how many milliseconds the writes of a transaction wait while another process keeps the file locked. */
const MAX_WAIT_MS = 10_000;
/** The same while the store is closing. */
const CLOSING_MS = 1000;

/** Milliseconds between two attempts: first and longest pause. The event loop is blocked during an attempt. */
const PAUSES_MS: BackoffRange = { first: 5, longest: 100 };

/** Minimum bytes of a large write, which has a transaction of its own. */
const LARGE = 2 ** 16;
/** Bytes at which a transaction accepts no further small writes. */
const MOST_BYTES = 2 ** 20;

/** The owner under which transactions wait for turns of the event loop. The owners of large writes take turns in the queue instead. */
const WRITES = "writes";

/** Functions to run once a write is committed. They must not throw. */
export type Effects = (() => void)[];

/**
 * Changes the database. A write must throw its own errors before it changes anything. It may run again when its transaction fails, so
 * changes of state in memory belong in `effects`, except in caches, which are then cleared, and those that are harmless to repeat.
 */
export type Write<Result> = (effects: Effects) => Result;

/** The size of what a write stores, and its owner. */
export interface WriteSize {
  readonly owner: string;
  readonly bytes: number;
}

interface Waiting {
  readonly write: Write<unknown>;
  readonly bytes: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: small writes of one turn of the event loop can share a transaction, and then wait for the disk once. A write is
 * acknowledged and becomes visible only after its commit. The event loop is blocked during a transaction. The bytes of small writes in one
 * transaction are therefore limited, and a large write has a transaction of its own. Between two large writes, small ones that wait get a
 * transaction.
 */
export class WriteQueue {
  readonly #database: SqliteDatabase;
  readonly #undone: () => void;
  #waiting: Waiting[] = [];
  readonly #large = new FairQueue<Waiting>();
  #flushing: Promise<void> | undefined;
  /** Time, by the monotonic clock, until which writes wait for another process. */
  #until = Number.POSITIVE_INFINITY;

  /** @param undone clears the caches; called when a transaction or one of its writes is rolled back */
  constructor(database: SqliteDatabase, undone: () => void) {
    this.#database = database;
    this.#undone = undone;
  }

  /**
   * Runs a write in one of the next transactions, and resolves with its result after the commit.
   * @param size size of what is stored, and its owner; a write without it is small
   * @throws what the write throws; StoreError for an error of SQLite
   */
  add<Result>(write: Write<Result>, { owner, bytes }: WriteSize = SMALL_WRITE): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const waiting = { write, bytes, resolve: resolve as (value: unknown) => void, reject };
      if (bytes < LARGE) this.#waiting.push(waiting);
      else this.#large.add(owner, waiting);
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves once no write is pending. Writes that another process still blocks after about a second are rejected. */
  async drain(): Promise<void> {
    this.#until = performance.now() + CLOSING_MS;
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length + this.#large.size > 0) {
      if (this.#waiting.length > 0) await this.#commitInTurn(this.#nextSmall());
      const large = this.#large.take(() => true);
      if (large !== undefined) await this.#commitInTurn([large]);
    }
    this.#flushing = undefined;
  }

  /** Takes the small writes of the next transaction. */
  #nextSmall(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (bytes >= MOST_BYTES) break;
      bytes += waiting.bytes;
      count += 1;
    }
    const batch = this.#waiting;
    this.#waiting = batch.splice(count);
    return batch;
  }

  /**
   * Commits a batch. A large one first waits for a turn of the event loop that has room, and a very large one afterwards for another turn.
   */
  async #commitInTurn(batch: readonly Waiting[]): Promise<void> {
    const bytes = batch.reduce((sum, waiting) => sum + waiting.bytes, 0);
    const turn = turns.enter(WRITES, bytes);
    if (turn !== undefined) await turn;
    await this.#commit(batch);
    const next = turns.worked(bytes);
    if (next !== undefined) await next;
  }

  /** Commits a batch; repeats it while the file is locked. If SQLite refuses it and it has several writes, each gets a savepoint. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    let isIsolated = false;
    const until = performance.now() + MAX_WAIT_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.#transact(batch, isIsolated);
        return;
      } catch (error) {
        if (!isBusy(error) && !isIsolated && batch.length > 1) {
          isIsolated = true;
          continue;
        }
        if (!isBusy(error) || performance.now() > Math.min(until, this.#until)) {
          for (const { reject } of batch) reject(storeError(error));
          return;
        }
      }
      await setTimeout(exponentialDelay(PAUSES_MS, attempt));
    }
  }

  #transact(batch: readonly Waiting[], isIsolated: boolean): void {
    const effects: Effects = [];
    this.#database.begin();
    try {
      for (const waiting of batch) {
        if (isIsolated) this.#attemptIsolated(waiting, effects);
        else attempt(waiting, effects);
      }
      this.#database.run("COMMIT");
    } catch (error) {
      this.#undone();
      this.#database.rollback();
      throw error;
    }
    for (const effect of effects) effect();
  }

  /** Runs a write in a savepoint, so that it alone is undone when SQLite refuses it. */
  #attemptIsolated(waiting: Waiting, effects: Effects): void {
    const own: Effects = [];
    this.#database.run("SAVEPOINT apart");
    try {
      attempt(waiting, own);
    } catch (error) {
      // SQLite has rolled back the whole transaction, for example because the disk is full.
      if (!this.#database.inTransaction) throw error;
      this.#database.run("ROLLBACK TO apart");
      this.#undone();
      own.splice(0, own.length, () => waiting.reject(storeError(error)));
    }
    this.#database.run("RELEASE apart");
    effects.push(...own);
  }
}

/** The size of a write that stores little. */
const SMALL_WRITE: WriteSize = { owner: "", bytes: 0 };

/** Runs a write. Its promise is settled by the effects. */
function attempt({ write, resolve, reject }: Waiting, effects: Effects): void {
  try {
    const result = write(effects);
    effects.push(() => resolve(result));
  } catch (error) {
    if (isDatabaseFault(error)) throw error;
    effects.push(() => reject(error));
  }
}
