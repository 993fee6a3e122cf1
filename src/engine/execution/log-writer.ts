import { nextTick } from "node:process";
import type { Clock } from "../../async/clock.js";
import { isTerminal } from "../../protocol/lifecycle.js";
import type { StreamResponse } from "../../protocol/model.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { isRefusal, kindOfFailure } from "../../stores/store-error.js";
import { GenerationConflict, type LogEntry } from "../../stores/task-store.js";
import type { ExecutionLease, LeaseHolder } from "../leases/execution-lease.js";
import type { TaskLog } from "../task-log.js";
import type { LogListener } from "./log-listener.js";
import { ownEntries } from "./own-entries.js";
import { WaitingList } from "./waiting-list.js";
import { WriteTrouble } from "./write-trouble.js";

/** What a writer works with. */
export interface LogWriterParts {
  readonly log: TaskLog;
  /** Under which it writes; without it any other writer is the end of it. */
  readonly tenure?: ExecutionLease | undefined;
  readonly clock: Clock;
  readonly listener: LogListener;
}

const done = Promise.resolve();

/**
 * Writes the log of one task while its executor runs: in order, one append in flight, and everything that gathers meanwhile
 * goes into the next one. So the executor does not wait for each event, and a slow store costs few calls.
 *
 * Entries have positions, which count what this writer writes. Under a lease others may add entries too; then generations run
 * ahead of positions. Under a lease an append that fails is also made again, as {@link WriteTrouble} says, after a look at the
 * log for entries of others and for its own ones whose answer was lost. When the store refuses an entry for what is in it,
 * those before it are stored, and the task ends there.
 */
export class LogWriter implements LeaseHolder {
  readonly #parts: LogWriterParts;
  #pending: LogEntry[] = [];
  #written: number;
  #stored: number;
  /** Entries of others, by the first position behind them. */
  readonly #others: { readonly from: number; readonly count: number }[] = [];
  /** Something is being written or looked at. */
  #isBusy = false;
  readonly #durable = new WaitingList();
  readonly #looks = new WaitingList();
  #failure: { readonly error: unknown } | undefined;
  /** The log has to be looked at before anything else. */
  #isDue = false;
  /** Pending entries that may be in the log already. */
  #doubtful = 0;
  readonly #trouble: WriteTrouble;
  /** How many entries go alone, as the store refused them when they went together. */
  #alone = 0;
  /** An append found the log further than it is known. */
  #isOvertaken = false;
  #isGone = false;

  /**
   * @param generation where the log stands now; 0 when it does not exist yet
   */
  constructor(parts: LogWriterParts, generation: number) {
    this.#parts = parts;
    this.#trouble = new WriteTrouble(parts.clock);
    this.#written = generation;
    this.#stored = generation;
    if (parts.tenure) parts.tenure.holder = this;
  }

  /** Position of the last entry that was written. */
  get position(): number {
    return this.#written;
  }

  /** How many entries are not durable yet; when there are many, the executor is held back. */
  get backlog(): number {
    return this.#written - this.#stored;
  }

  /** Whether nothing can be written any more. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /** Generation up to which the log is known. */
  get reached(): number {
    return this.generationOf(this.#stored + 1) - 1;
  }

  /**
   * Adds an entry; it is durable when {@link durable} of the returned position resolves.
   * @returns the entry's position
   */
  write(entry: LogEntry): number {
    this.#written += 1;
    if (this.failed) return this.#written;
    this.#pending.push(entry);
    this.#begin();
    return this.#written;
  }

  /**
   * Resolves when everything up to a position is in the store.
   * @throws what the store threw, now and on every later call: after a failure nothing more is written
   */
  durable(position: number): Promise<void> {
    if (this.#stored >= position) return done;
    return this.#failure === undefined ? this.#durable.wait(position) : Promise.reject(this.#failure.error);
  }

  /** The same for everything that was written. */
  settled(): Promise<void> {
    return this.durable(this.#written);
  }

  /** @throws what the store threw, when nothing can be written any more */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** The generation of an entry that is durable. */
  generationOf(position: number): number {
    return position + (this.#others.findLast(({ from }) => from <= position)?.count ?? 0);
  }

  /**
   * Looks for entries of others.
   * @param generation where the log is known to be; anywhere unless given
   */
  look(generation = Number.POSITIVE_INFINITY): void {
    if (this.failed || !this.#parts.tenure?.held || generation <= this.reached) return;
    this.#isDue = true;
    this.#begin();
  }

  gone(): void {
    this.#isGone = true;
    this.look();
  }

  lose(): void {
    this.#fail(new LeaseConflict(this.#parts.log.taskId, undefined));
  }

  /**
   * Looks for entries of others, and waits for that.
   * @throws what the store threw
   */
  async lookNow(): Promise<void> {
    this.look();
    if (this.#isBusy && !this.failed) await this.#looks.wait(0);
    this.check();
  }

  #begin(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    while (this.#failure === undefined && (this.#pending.length > 0 || this.#isDue)) await this.#step();
    this.#isBusy = false;
    this.#looks.reached(0);
  }

  async #step(): Promise<void> {
    // Waits until nobody can go on without waiting for something: all that an executor yields in one go travels together.
    await new Promise<void>((resolve) => nextTick(resolve));
    const isLook = this.#isDue;
    this.#isDue = false;
    try {
      await (isLook ? this.#look() : this.#append());
    } catch (error) {
      const final = this.failed ? undefined : await this.#recover(error);
      if (final !== undefined) await this.#giveUp(final);
    }
  }

  async #append(): Promise<void> {
    const { log, tenure } = this.#parts;
    const { store, scope, taskId } = log;
    const batch = this.#alone > 0 ? this.#pending.splice(0, 1) : this.#pending;
    if (this.#alone > 0) this.#alone -= 1;
    else this.#pending = [];
    try {
      await (tenure?.append(this.reached, batch) ?? store.append(scope, taskId, this.reached, batch));
    } catch (error) {
      this.#pending = [...batch, ...this.#pending];
      this.#doubtful = batch.length;
      throw error;
    }
    this.#took(batch);
  }

  /** Entries of this writer are in the log. */
  #took(batch: readonly LogEntry[]): void {
    // What is answered after the lease is over changes nothing here any more.
    if (this.failed) return;
    const { tenure, listener } = this.#parts;
    const first = this.reached + 1;
    this.#stored += batch.length;
    this.#trouble.over(tenure);
    if (batch.some(({ event }) => ends(event))) tenure?.end();
    else tenure?.begin();
    listener.stored?.(batch, first);
    this.#durable.reached(this.#stored);
  }

  /** Reads what is behind the place up to which the log is known. */
  async #look(): Promise<void> {
    const { log, listener } = this.#parts;
    const { store, scope, taskId } = log;
    const entries = await store.read(scope, taskId, this.reached);
    if (entries === undefined) throw new LeaseConflict(taskId, undefined);
    const own = ownEntries(this.#pending.slice(0, this.#doubtful), entries);
    this.#doubtful = 0;
    if (own > 0) this.#took(this.#pending.splice(0, own));
    const others = entries.slice(own);
    if (others.length > 0) {
      const known = [...this.#pending];
      const anew = await listener.overtaken(others, known);
      this.#others.push({ from: this.#stored + 1, count: this.reached - this.#stored + others.length });
      if (anew === undefined) throw new LeaseConflict(taskId, undefined);
      // What was written while the listener was at it comes behind what it has seen.
      this.#pending = [...anew, ...this.#pending.slice(known.length)];
    }
    // A conflict without a reason to be found, or a lease that is gone while the task goes on: it is somebody else's.
    const isOthers = this.#isGone || (this.#isOvertaken && entries.length === 0);
    this.#isOvertaken = false;
    if (isOthers && this.#parts.tenure?.held) throw new LeaseConflict(taskId, undefined);
  }

  /**
   * Waits until the log may be written after a failure.
   * @returns the error that the writer ends with; undefined when it goes on
   */
  async #recover(error: unknown): Promise<unknown> {
    const { tenure } = this.#parts;
    const kind = kindOfFailure(error);
    if ((kind === "entry" || kind === "full") && this.#doubtful > 1) {
      this.#alone = this.#doubtful;
      return undefined;
    }
    if (isRefusal(error) || tenure === undefined || error instanceof LeaseConflict) return error;
    const isConflict = error instanceof GenerationConflict;
    if (tenure.wanted) return !isConflict && (await this.#isDone(tenure)) ? undefined : error;
    if (!tenure.held) return error;
    this.#isDue = true;
    this.#isOvertaken ||= isConflict;
    return isConflict ? undefined : this.#trouble.recover(error, tenure);
  }

  /** Whether an append that takes the lease has succeeded and only its answer was lost. */
  async #isDone(tenure: ExecutionLease): Promise<boolean> {
    try {
      await this.#look();
    } catch {
      return false;
    }
    return !tenure.wanted;
  }

  /** Nothing more can be written, but for the end of a task whose entry was refused. */
  async #giveUp(error: unknown): Promise<void> {
    const { log, tenure, listener } = this.#parts;
    if (isRefusal(error) && this.#failure === undefined && this.reached > 0 && !tenure?.wanted) {
      const last = listener.refused(error);
      const { store, scope, taskId } = log;
      try {
        await (tenure?.append(this.reached, [last]) ?? store.append(scope, taskId, this.reached, [last]));
        listener.stored?.([last], this.reached + 1);
      } catch {
        // Then the next one who holds the task ends it.
      }
    }
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    const { tenure, listener } = this.#parts;
    this.#failure = { error };
    this.#trouble.givenUp(tenure);
    tenure?.end();
    listener.failed(error);
    this.#durable.failed(error);
    this.#looks.failed(error);
  }
}

function ends({ task, statusUpdate }: StreamResponse): boolean {
  const state = (task ?? statusUpdate)?.status.state;
  return state !== undefined && isTerminal(state);
}
