import { runtime } from "#runtime";
import { endsTask } from "../../protocol/lifecycle.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { isRefusal, kindOfFailure } from "../../stores/store-error.js";
import { GenerationConflict, type LogEntry, type StoredEntry } from "../../stores/task-store.js";
import { readBatch } from "../../task-log/follow.js";
import type { ExecutionLease } from "../leases/execution-lease.js";
import type { LogWriterOptions } from "./log-writer-options.js";
import { countStored, StoreRetry } from "./store-retry.js";
import { WaitingList } from "./waiting-list.js";

const done = Promise.resolve();

/**
 * Writes the log of one task. There is one append at a time, in order; entries that are written during an append usually go together into
 * the next one. The executor does not wait for each append, and a slow store gets few calls.
 *
 * Positions count the entries of this writer, starting after the generation at which it was created. Under a lease, other writers may
 * append messages or the end of the task; generations are then ahead of positions. While the lease is held, an append that fails is
 * usually retried: at once if another writer was first, with backoff if the store is failing. Before such a retry the writer reads the log,
 * which may have entries of other writers, and its own entries if only the store's response was lost. If the store refuses an entry, the
 * writer tries to end the task in the cases of {@link LogWriterOptions.lastEntry}.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  #pending: LogEntry[] = [];
  /** The entries of the append that is under way. */
  #batch: readonly LogEntry[] = [];
  #written: number;
  #stored: number;
  #hasStored = false;
  /** Before the entry at position `from` come `count` entries of other writers in total. */
  readonly #others: { readonly from: number; readonly count: number }[] = [];
  /** An append or a read of the log is scheduled, under way, or waits to be retried. */
  #isBusy = false;
  readonly #durable = new WaitingList();
  readonly #polls = new WaitingList();
  readonly #retry: StoreRetry;
  #failure: { readonly error: unknown } | undefined;
  /** The log has to be read before the next append. */
  #isPollDue = false;
  /** Number of pending entries that the store may already have appended. */
  #doubtful = 0;
  /** Number of pending entries that are appended one by one, because the store refused them together. */
  #single = 0;
  /** An append was refused with a GenerationConflict, and the log has not been read since. */
  #isOvertaken = false;

  /** @param generation the last generation of the log; 0 if it does not exist yet */
  constructor(options: LogWriterOptions, generation: number) {
    this.#options = options;
    this.#retry = new StoreRetry(options.clock);
    this.#written = generation;
    this.#stored = generation;
  }

  /** Position of the last entry that was passed to {@link write}; the generation of the constructor before the first. */
  get position(): number {
    return this.#written;
  }

  /** Number of entries that were passed to {@link write} and are not durable. */
  get backlog(): number {
    return this.#written - this.#stored;
  }

  /** Whether the log can no longer be written. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** The last generation of the log that this writer knows. */
  get reached(): number {
    return this.generationOf(this.#stored + 1) - 1;
  }

  /** Whether entries may come between a generation and the next entry: the log is past it, or other entries may be appended first. */
  mayPass(generation: number): boolean {
    return this.#options.lease?.held === true || this.backlog > 0 || this.reached > generation;
  }

  /**
   * Queues an entry. Drops it if the log can no longer be written.
   * @returns the entry's position, for {@link durable}
   */
  write(entry: LogEntry): number {
    this.#written += 1;
    if (this.failed) return this.#written;
    this.#pending.push(entry);
    this.#begin();
    return this.#written;
  }

  /**
   * Resolves when all entries up to a position are durable.
   * @throws the error that ended the writer, also in each later call for an entry that is not durable: an error of the store; LeaseConflict
   * if the lease was not granted, was lost or has expired or, while it was held, if another writer ended the task or the log was deleted;
   * GenerationConflict if, without a granted lease, the log has moved on, has ended or was deleted
   */
  durable(position: number): Promise<void> {
    if (this.#stored >= position) return done;
    return this.#failure === undefined ? this.#durable.wait(position) : Promise.reject(this.#failure.error);
  }

  /** Resolves when all entries written so far are durable. @throws as {@link durable} */
  allDurable(): Promise<void> {
    return this.durable(this.#written);
  }

  /** @throws the error that ended the writer, as {@link durable} does, if the log can no longer be written */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** The generation of an entry that is durable. */
  generationOf(position: number): number {
    return position + (this.#others.findLast(({ from }) => from <= position)?.count ?? 0);
  }

  /**
   * Reads the log for entries of other writers, in the background. Has no effect unless the lease is held.
   * @param generation the last generation of the log, if known: the log is not read if the writer knows that entry
   */
  poll(generation = Number.POSITIVE_INFINITY): void {
    if (this.failed || !this.#options.lease?.held || generation <= this.reached) return;
    this.#isPollDue = true;
    this.#begin();
  }

  /**
   * Reads the log as {@link poll} does. Resolves when its entries are handled, and the entries written in the meantime are durable.
   * @throws the error that ended the writer, as {@link durable} does, if the log can no longer be written
   */
  async pollNow(): Promise<void> {
    this.poll();
    if (this.#isBusy && !this.failed) await this.#polls.wait(0);
    this.check();
  }

  /** Ends the writer: no further append is sent, and every promise for an entry that is not durable rejects with the error. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#retry.stop(this.#options.lease);
    this.#options.onLost(error);
    this.#durable.failed(error);
    this.#polls.failed(error);
  }

  #begin(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // Waits for the end of the tick, so that consecutive updates of the executor can go into one append.
    runtime.afterTick(this.#step);
  }

  readonly #step = (): void => {
    const isPoll = this.#isPollDue;
    this.#isPollDue = false;
    if (this.failed) this.#goOn();
    else if (isPoll) this.#readNew().then(this.#goOn, this.#failed);
    else this.#append();
  };

  readonly #goOn = (): void => {
    this.#isBusy = false;
    this.#batch = [];
    if (this.#failure === undefined && (this.#pending.length > 0 || this.#isPollDue)) this.#begin();
    else this.#polls.reached(0);
  };

  readonly #failed = async (error: unknown): Promise<void> => {
    const final = this.failed ? undefined : await this.#recover(error);
    if (final !== undefined) await this.#giveUp(final);
    this.#goOn();
  };

  #append(): void {
    this.#batch = this.#single > 0 ? this.#pending.splice(0, 1) : this.#pending;
    if (this.#single > 0) this.#single -= 1;
    else this.#pending = [];
    try {
      // This runs for every append, and an async function would create several promises.
      this.#store(this.#batch).then(this.#appended, this.#refused);
    } catch (error) {
      this.#refused(error);
    }
  }

  #store(entries: readonly LogEntry[]): Promise<number> {
    const { log, lease } = this.#options;
    const { store, scope, taskId } = log;
    return lease?.append(this.reached, entries) ?? store.append(scope, taskId, this.reached, entries);
  }

  readonly #appended = (): void => {
    try {
      this.#confirm(this.#batch);
      this.#goOn();
    } catch (error) {
      void this.#failed(error);
    }
  };

  readonly #refused = (error: unknown): void => {
    this.#pending = [...this.#batch, ...this.#pending];
    this.#doubtful = this.#batch.length;
    void this.#failed(error);
  };

  /** Records that the store has appended entries of this writer. */
  #confirm(batch: readonly LogEntry[]): void {
    // A response that arrives after the writer has ended has no effect.
    if (this.failed) return;
    const { lease, onStored } = this.#options;
    const first = this.reached + 1;
    this.#stored += batch.length;
    this.#hasStored = true;
    this.#retry.succeeded(lease);
    if (batch.some(({ event }) => endsTask(event))) lease?.end();
    else lease?.begin();
    onStored?.(batch, first);
    this.#durable.reached(this.#stored);
  }

  /** Reads the entries after the last known generation, batch by batch: another writer may have appended any number of bytes. */
  async #readNew(): Promise<void> {
    const { store, scope, taskId } = this.#options.log;
    const { reached } = this;
    for (let length = 1; length > 0 && !this.failed; ) {
      const entries = await readBatch(store, scope, taskId, this.reached);
      if (entries === undefined) throw new LeaseConflict(taskId, undefined);
      ({ length } = entries);
      await this.#found(entries);
    }
    this.#doubtful = 0;
    if (this.#pending.length === 0) this.#retry.succeeded(this.#options.lease);
    // The store reports a conflict without new entries. It would do so again, so the writer ends as if the lease were lost.
    if (this.#isOvertaken && this.reached === reached && this.#options.lease?.held)
      throw new LeaseConflict(taskId, undefined);
    this.#isOvertaken = false;
  }

  /** Handles the entries after the last known generation: own entries whose append seemed to fail, and entries of other writers. */
  async #found(entries: readonly StoredEntry[]): Promise<void> {
    const own = countStored(this.#pending.slice(0, this.#doubtful), entries);
    this.#doubtful = own === entries.length ? this.#doubtful - own : 0;
    if (own > 0) this.#confirm(this.#pending.splice(0, own));
    if (own === entries.length) return;
    const others = entries.slice(own);
    const rebased = await this.#options.rebase(others, () => this.#pending);
    this.#others.push({ from: this.#stored + 1, count: this.reached - this.#stored + others.length });
    if (rebased === undefined) throw new LeaseConflict(this.#options.log.taskId, undefined);
    // Entries that were written after `rebase` read the pending ones follow them.
    this.#pending = [...rebased, ...this.#pending.slice(rebased.length)];
  }

  /**
   * Waits until a failed append or read may be retried.
   * @returns undefined if it may be retried, or has succeeded after all; else the error that ends the writer
   */
  async #recover(error: unknown): Promise<unknown> {
    const { lease } = this.#options;
    if (["entry", "full"].includes(kindOfFailure(error) ?? "") && this.#doubtful > 1) {
      this.#single = this.#doubtful;
      return undefined;
    }
    if (isRefusal(error) || lease === undefined || error instanceof LeaseConflict) return error;
    const isConflict = error instanceof GenerationConflict;
    if (lease.isUnconfirmed) return !isConflict && (await this.#isDone(lease)) ? undefined : error;
    if (!lease.held) return error;
    this.#isPollDue = true;
    this.#isOvertaken ||= isConflict;
    return isConflict ? undefined : this.#retry.wait(error, lease);
  }

  /** Whether the log shows that an append that takes the lease has succeeded although its response was lost. */
  #isDone(lease: ExecutionLease): Promise<boolean> {
    return this.#readNew().then(
      () => !lease.isUnconfirmed,
      () => false,
    );
  }

  /** Ends the writer. It first tries to write the end of the task in the cases of {@link LogWriterOptions.lastEntry}. */
  async #giveUp(error: unknown): Promise<void> {
    const { lease, onStored, lastEntry } = this.#options;
    const isOurs = lease ? !lease.isUnconfirmed : this.#hasStored;
    if (isRefusal(error) && this.#failure === undefined && this.reached > 0 && isOurs) {
      const last = lastEntry(error);
      try {
        await this.#store([last]);
        onStored?.([last], this.reached + 1);
      } catch {
        // If there is a lease, it expires, and the task can then be taken over.
      }
    }
    this.fail(error);
  }
}
