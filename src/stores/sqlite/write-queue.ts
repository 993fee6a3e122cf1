import { setTimeout } from "node:timers/promises";
import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import type { SqliteDatabase } from "./database.js";
import { isBusy, isDatabaseFault, storeError } from "./database-fault.js";

/** Milliseconds for which writes wait for another process that does not stop writing; fewer when the store is being closed. */
const PATIENCE_MS = 10_000;
const CLOSING_MS = 1000;

/** Milliseconds between two attempts: the first pause, and the longest. The event loop stands still during an attempt. */
const PAUSES_MS: BackoffRange = { first: 5, longest: 100 };

/** What is to be done once a write is durable. */
export type Effects = (() => void)[];

/**
 * Changes the database. Whatever it refuses, it refuses before it has changed anything. Runs again when the transaction that
 * it was part of failed, so what is to happen in this process it leaves to the effects.
 */
export type Write<Result> = (effects: Effects) => Result;

interface Waiting {
  readonly write: Write<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: what is to be written in one turn of the event loop is one transaction, and so waits for the disk once. Nobody
 * is told of a write, and nobody can see it, before it is durable.
 */
export class WriteQueue {
  readonly #database: SqliteDatabase;
  readonly #undone: () => void;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  /** Until when writes wait for another process at most. */
  #until = Number.POSITIVE_INFINITY;

  /** @param undone called when a transaction failed, and what was remembered of its writes is wrong */
  constructor(database: SqliteDatabase, undone: () => void) {
    this.#database = database;
    this.#undone = undone;
  }

  /** Resolves with what the write gave, once it is durable. */
  add<Result>(write: Write<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ write, resolve: resolve as (value: unknown) => void, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves once nothing is waiting, within some seconds: what another process keeps from being written is rejected. */
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

  /** Carries a batch out. When the database refuses one of the writes, all are given again, each within a savepoint of its own. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    let isApart = false;
    const until = performance.now() + PATIENCE_MS;
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.#transact(batch, isApart);
        return;
      } catch (error) {
        if (!isBusy(error) && !isApart && batch.length > 1) {
          isApart = true;
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

  #transact(batch: readonly Waiting[], isApart: boolean): void {
    const effects: Effects = [];
    this.#database.run("BEGIN IMMEDIATE");
    try {
      for (const waiting of batch) {
        if (isApart) this.#attemptApart(waiting, effects);
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

  /** Runs a write, and undoes it alone when the database refuses it. */
  #attemptApart(waiting: Waiting, effects: Effects): void {
    const own: Effects = [];
    this.#database.run("SAVEPOINT apart");
    try {
      attempt(waiting, own);
    } catch (error) {
      // Faults of the machine end the whole transaction.
      if (!this.#database.inTransaction) throw error;
      this.#database.run("ROLLBACK TO apart");
      this.#undone();
      own.splice(0, own.length, () => waiting.reject(storeError(error)));
    }
    this.#database.run("RELEASE apart");
    effects.push(...own);
  }
}

/** Runs a write, and leaves its outcome to the effects. */
function attempt({ write, resolve, reject }: Waiting, effects: Effects): void {
  try {
    const result = write(effects);
    effects.push(() => resolve(result));
  } catch (error) {
    if (isDatabaseFault(error)) throw error;
    effects.push(() => reject(error));
  }
}
