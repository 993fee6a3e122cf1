import { runtime } from "#runtime";
import { turns } from "../../async/turns.js";
import { kindOfFailure, StoreError } from "../store-error.js";
import type { AppendOutcome } from "./append-outcome.js";
import type { AppendSender } from "./log-statements.js";
import { type AppendedRow, bytesToSend, type PreparedAppend } from "./prepared-append.js";

/** Approximate maximum of the bytes of entries and checkpoints in a batch; a single append may be larger. */
const MAX_BYTES = 2 ** 22;

/** Maximum number of attempts at a batch whose connection breaks, or with which another transaction collides. */
const ATTEMPTS = 10;

/** The name under which batches wait for turns of the event loop. */
const APPENDS = "appends";

/** How an {@link AppendQueue} uses its database. */
export interface AppendQueueDeps {
  readonly outcome: AppendOutcome;
  /** Maximum number of appends per batch. */
  readonly maxAppends: number;
  /** Maximum number of batches in flight. While that many are, further appends wait and can share the next batch. */
  readonly maxInFlight: number;
  /**
   * Carries out appends to different tasks in one transaction. A refused append does not affect the others.
   * @returns those that succeeded
   * @throws the error of the database, or of the connection to it; StoreError for a task with too many entries
   */
  send(appends: readonly PreparedAppend[]): Promise<AppendedRow[]>;
  /** Whether another transaction has caused an error, so that the batch can be repeated. */
  isCollision(error: unknown): boolean;
  /** Whether a lost connection or an unavailable server has caused an error, so that the batch may have been carried out. */
  isConnectionFault(error: unknown): boolean;
  /** See `Backend.storeError`. */
  storeError(error: unknown): unknown;
}

interface Waiting {
  readonly append: PreparedAppend;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/** The ids of tasks, by {@link keyOf}. */
type Ids = Map<string, number>;

/**
 * Group commit: appends to different tasks can share a batch if they arrive in one turn of the event loop, or wait because the maximum
 * number of batches is in flight. When the connection breaks, the queue asks the database which appends were carried out, and repeats the
 * others.
 */
export class AppendQueue implements AppendSender {
  readonly #deps: AppendQueueDeps;
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #isPlanned = false;

  constructor(deps: AppendQueueDeps) {
    this.#deps = deps;
  }

  add(append: PreparedAppend): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      runtime.afterEvents(() => {
        this.#isPlanned = false;
        this.#pump();
      });
    });
  }

  check(append: PreparedAppend): Promise<void> {
    return this.#deps.outcome.check(append);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.#deps.maxInFlight) {
      this.#inFlight += 1;
      void this.#run(this.#take()).finally(() => {
        this.#inFlight -= 1;
        this.#pump();
      });
    }
  }

  /** Takes the next batch. It has each task at most once, because one statement, which updates a row only once, may carry out the batch. */
  #take(): Waiting[] {
    const batch = new Map<string, Waiting>();
    const rest: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const { key } = waiting.append;
      const size = bytesToSend(waiting.append);
      const isFull = batch.size === this.#deps.maxAppends || (batch.size > 0 && bytes + size > MAX_BYTES);
      if (isFull || batch.has(key)) rest.push(waiting);
      else {
        batch.set(key, waiting);
        bytes += size;
      }
    }
    this.#waiting = rest;
    return [...batch.values()];
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    const ids: Ids = new Map();
    try {
      // The driver copies all texts into its message without a pause.
      const turn = turns.enter(
        APPENDS,
        batch.reduce((sum, { append }) => sum + bytesToSend(append), 0),
      );
      if (turn !== undefined) await turn;
      await this.#append(
        batch.map(({ append }) => append),
        ids,
      );
    } catch (error) {
      await this.#failed(resolveStored(batch, ids), error);
      return;
    }
    await Promise.all(resolveStored(batch, ids).map((waiting) => this.#settle(waiting)));
  }

  /** Handles the failure of a batch. Its appends that succeeded are no longer part of it. */
  async #failed(batch: readonly Waiting[], error: unknown): Promise<void> {
    const failure = this.#deps.storeError(error);
    const kind = kindOfFailure(failure);
    if (batch.length === 1 || kind === "transient" || kind === "permanent") {
      for (const { reject } of batch) reject(failure);
      return;
    }
    // The database does not say which append it refuses. Halving the batch finds it.
    const middle = batch.length >> 1;
    await this.#run(batch.slice(0, middle));
    await this.#run(batch.slice(middle));
  }

  /**
   * Carries out appends.
   * @param ids receives the ids of the tasks of those that succeeded, also of those whose response was lost, and of those that succeeded
   * before an error
   * @throws the error of the last attempt, or of the query for those whose response was lost
   */
  async #append(appends: readonly PreparedAppend[], ids: Ids): Promise<void> {
    const { isCollision, isConnectionFault } = this.#deps;
    let left = appends;
    let isDoubtful = false;
    const found = (rows: readonly AppendedRow[]) => {
      for (const row of rows) ids.set(keyOf(row), row.id);
      left = left.filter((append) => !ids.has(keyOf(append)));
    };
    for (let attempt = 1; left.length > 0; attempt += 1) {
      try {
        found(await this.#deps.send(left));
        // An earlier attempt may still have been under way when it was looked for. This one has waited for it.
        if (isDoubtful && left.length > 0) found(await this.#stored(left));
        return;
      } catch (error) {
        if (attempt === ATTEMPTS || !(isCollision(error) || isConnectionFault(error))) throw error;
        if (!isConnectionFault(error)) continue;
        isDoubtful = true;
        // This query is repeated for about half a minute while the server is unavailable.
        found(await this.#stored(left));
      }
    }
  }

  /**
   * Finds the appends that were carried out although their response was lost.
   * @throws StoreError of kind `transient` if the query fails. Another kind would mean that nothing was stored
   */
  async #stored(appends: readonly PreparedAppend[]): Promise<AppendedRow[]> {
    try {
      return await this.#deps.outcome.stored(appends);
    } catch (cause) {
      const message = "Cannot determine whether an append was carried out: the query for it failed";
      throw new StoreError("transient", message, { cause });
    }
  }

  /** Rejects an append that the database has refused, or adds it again. */
  async #settle(waiting: Waiting): Promise<void> {
    try {
      await this.#deps.outcome.check(waiting.append);
    } catch (error) {
      waiting.reject(this.#deps.storeError(error));
      return;
    }
    // The reason for the refusal no longer exists: try again.
    this.#waiting.push(waiting);
  }
}

/** Resolves the appends that were carried out. Returns the others. */
function resolveStored(batch: readonly Waiting[], ids: Ids): Waiting[] {
  return batch.filter(({ append, resolve }) => {
    const id = ids.get(keyOf(append));
    if (id !== undefined) resolve(id);
    return id === undefined;
  });
}

function keyOf({ scope, task }: { readonly scope: number; readonly task: string }): string {
  return `${scope} ${task}`;
}
