import { setTimeout } from "node:timers/promises";
import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import type { SqliteDatabase } from "./database.js";
import { isBusy, isDatabaseFault, storeError } from "./database-fault.js";

/** Maximum milliseconds for which writes wait for another process that keeps writing: normally, and while the store is closing. */
const MAX_WAIT_MS = 10_000;
const CLOSING_MS = 1000;

/** Milliseconds between two attempts: first and longest pause. The event loop is blocked during an attempt. */
const PAUSES_MS: BackoffRange = { first: 5, longest: 100 };

/** Functions to run once a write is durable. */
export type Effects = (() => void)[];

/**
 * Changes the database. A write must throw its own errors before it changes anything. It may run again when its transaction fails, so
 * it must put everything that changes state in memory into `effects`.
 */
export type Write<Result> = (effects: Effects) => Result;

interface Waiting {
  readonly write: Write<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: all writes of one turn of the event loop share one transaction, and so wait for the disk once. A write is acknowledged
 * and becomes visible only after it is durable.
 */
export class WriteQueue {
  readonly #database: SqliteDatabase;
  readonly #undone: () => void;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  /** Time until which writes wait for another process. */
  #until = Number.POSITIVE_INFINITY;

  /** @param undone called after a transaction has failed, to drop its writes from caches */
  constructor(database: SqliteDatabase, undone: () => void) {
    this.#database = database;
    this.#undone = undone;
  }

  /** Resolves with the result of a write once it is durable. */
  add<Result>(write: Write<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ write, resolve: resolve as (value: unknown) => void, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves once no write is pending, after about a second at most. Writes that another process still blocks are rejected. */
  async drain(): Promise<void> {
    this.#until = performance.now() + CLOSING_MS;
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#commit(batch);
    }
    this.#flushing = undefined;
  }

  /** Commits a batch. If SQLite refuses a write, the batch runs again with a savepoint for each write. */
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
    this.#database.run("BEGIN IMMEDIATE");
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
