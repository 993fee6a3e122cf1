import { kindOfFailure } from "../store-error.js";
import { AppendOutcome } from "./append-outcome.js";
import { APPEND, appendValues } from "./append-statement.js";
import type { PostgresDatabase } from "./database.js";
import { isCollision, isConnectionFault, storeError } from "./database-fault.js";
import type { AppendedRow, ReadyAppend } from "./ready-append.js";

/** Statements in flight at most: while one waits for the disk of the server, others gather for the next. */
const IN_FLIGHT = 3;

/** Appends in a statement at most, and bytes of entries, but for a single append that has more. */
const MOST = 200;
const MOST_BYTES = 2 ** 22;

/** How often an append is given before its failure is taken for an answer. */
const ATTEMPTS = 10;

interface Waiting {
  readonly append: ReadyAppend;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: appends to any tasks that come while others are on their way travel together. Nobody is told of an append before
 * it is durable. When the connection breaks it is found out whether the append was carried out; if not, it is given again.
 */
export class AppendQueue {
  readonly #database: PostgresDatabase;
  readonly #outcome: AppendOutcome;
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #isPlanned = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#outcome = new AppendOutcome(database);
  }

  /**
   * Resolves with the number of the task once the append is durable.
   * @throws GenerationConflict, LeaseConflict as the contract says
   */
  add(append: ReadyAppend): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      setImmediate(() => {
        this.#isPlanned = false;
        this.#pump();
      });
    });
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#inFlight < IN_FLIGHT) {
      this.#inFlight += 1;
      void this.#run(this.#take()).finally(() => {
        this.#inFlight -= 1;
        this.#pump();
      });
    }
  }

  /** The next batch: each task once, because one statement can change a row once only. */
  #take(): Waiting[] {
    const batch = new Map<string, Waiting>();
    const rest: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const { place, texts } = waiting.append;
      const size = texts.reduce((sum, text) => sum + text.length, 0);
      const isFull = batch.size === MOST || (batch.size > 0 && bytes + size > MOST_BYTES);
      if (isFull || batch.has(place)) rest.push(waiting);
      else {
        batch.set(place, waiting);
        bytes += size;
      }
    }
    this.#waiting = rest;
    return [...batch.values()];
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#append(batch.map(({ append }) => append));
      const ids = new Map(rows.map((row) => [keyOf(row), row.id]));
      await Promise.all(batch.map((waiting) => this.#settle(waiting, ids)));
    } catch (error) {
      const failure = storeError(error);
      const kind = kindOfFailure(failure);
      if (batch.length === 1 || kind === "transient" || kind === "permanent") {
        for (const { reject } of batch) reject(failure);
        return;
      }
      // PostgreSQL does not say which append it refuses. Halving the batch finds one of 200 in 16 statements.
      const middle = batch.length >> 1;
      await this.#run(batch.slice(0, middle));
      await this.#run(batch.slice(middle));
    }
  }

  /** Carries appends out; gives those that were, this time or in an attempt whose answer was lost. */
  async #append(appends: readonly ReadyAppend[]): Promise<AppendedRow[]> {
    const found: AppendedRow[] = [];
    let left = appends;
    for (let attempt = 1; left.length > 0; attempt += 1) {
      try {
        return [...found, ...(await this.#database.once<AppendedRow>(APPEND, appendValues(left)))];
      } catch (error) {
        if (attempt === ATTEMPTS || !(isCollision(error) || isConnectionFault(error))) throw error;
        // Waits until there is a server again.
        const stored = isConnectionFault(error) ? await this.#outcome.stored(left) : [];
        found.push(...stored);
        const isStored = new Set(stored.map(keyOf));
        left = left.filter((append) => !isStored.has(keyOf(append)));
      }
    }
    return found;
  }

  async #settle(waiting: Waiting, ids: ReadonlyMap<string, number>): Promise<void> {
    const id = ids.get(keyOf(waiting.append));
    if (id !== undefined) {
      waiting.resolve(id);
      return;
    }
    try {
      await this.#outcome.explain(waiting.append);
    } catch (error) {
      waiting.reject(error);
      return;
    }
    // What was in the way is not there any more.
    this.#waiting.push(waiting);
  }
}

function keyOf({ scope, task }: { readonly scope: number; readonly task: string }): string {
  return `${scope} ${task}`;
}
