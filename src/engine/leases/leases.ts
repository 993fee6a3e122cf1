import type { Clock } from "../../async/clock.js";
import type { Logger } from "../../protocol/logger.js";
import type { ClaimedTask, Lease, LeaseStore } from "../../stores/lease-store.js";
import type { LogEntry } from "../../stores/task-store.js";
import { keyOf, type TaskLog } from "../task-log.js";
import { ExecutionLease, type LeaseRenewer } from "./execution-lease.js";
import { Outage } from "./outage.js";

/** Tasks taken over at a time. */
const CLAIM = 100;
/** A lease is renewed this often while it lasts, and tasks of others that did not renew theirs are looked for as often. */
const RENEWALS = 3;
/** The same while the store cannot be asked. */
const ATTEMPTS = 10;

/** What {@link Leases} work with. */
export interface LeasesOptions {
  readonly store: LeaseStore;
  /** Name of the agent in the store. */
  readonly agent: string;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The leases of this process on tasks of one agent. One timer renews all of them, and takes over tasks whose node did not come
 * back. Another one ends those that were not renewed in time by the clock of this process, whether the store refused that, or
 * did not answer. What others add to a task that is held here reaches its execution at once.
 */
export class Leases implements LeaseRenewer {
  readonly outage: Outage;
  readonly #options: LeasesOptions;
  readonly #leases = new Map<string, ExecutionLease>();
  /** Those whose lease is being taken: whether the store has given it is not known yet. */
  readonly #acquiring = new Set<ExecutionLease>();
  #count = 0;
  #unwatch: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #cancelGuard: (() => void) | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.outage = new Outage(options.logger, options.clock);
  }

  /** The lease that an execution will take with its first append, or that it has been given. */
  leaseFor(log: TaskLog, token = this.#token()): ExecutionLease {
    const { store, lease } = this.#options;
    return new ExecutionLease({ store, log, lease, token, renewer: this });
  }

  /**
   * Adds to the log of a task that another node holds.
   * @returns the generation of the last entry
   * @throws GenerationConflict, LeaseConflict when nobody holds it
   */
  leave({ scope, taskId }: TaskLog, expected: number, entries: readonly LogEntry[]): Promise<number> {
    return this.#options.store.append(scope, taskId, expected, entries, { guest: true });
  }

  acquiring(tenure: ExecutionLease): void {
    tenure.heldAt = this.#options.clock.now();
    this.#acquiring.add(tenure);
    this.#guard();
  }

  add(tenure: ExecutionLease): void {
    this.#acquiring.delete(tenure);
    this.#leases.set(keyOf(tenure), tenure);
    this.#guard();
  }

  remove(tenure: ExecutionLease): void {
    this.#acquiring.delete(tenure);
    const key = keyOf(tenure);
    if (this.#leases.get(key) === tenure) this.#leases.delete(key);
  }

  /**
   * Takes up what was left undone by processes that have died, now and from time to time.
   * @param takeOver is given each such task, under a lease that is held since the time that is given with it
   */
  start(takeOver: (task: ClaimedTask, heldAt: number) => void): void {
    const { store, lease } = this.#options;
    this.#unwatch = store.watchTasks(lease.node, (task) => this.#leases.get(keyOf(task))?.holder?.look());
    this.#ticking = this.#tick(takeOver);
  }

  /** Leaves the tasks that are held to whoever comes next. */
  async close(): Promise<void> {
    const { store, agent, lease, logger } = this.#options;
    this.#closed = true;
    this.#unwatch?.();
    this.#cancelTick?.();
    await this.#ticking;
    this.#cancelGuard?.();
    try {
      await this.#answered(store.releaseTasks(agent, lease.node));
    } catch (err) {
      logger.error({ err }, "The leases on tasks could not be released");
    }
  }

  async #tick(takeOver: (task: ClaimedTask, heldAt: number) => void): Promise<void> {
    const { lease, clock } = this.#options;
    let wait = lease.duration / RENEWALS;
    try {
      await this.#answered(this.#renew());
      while (!this.#closed && (await this.#answered(this.#claim(takeOver))) === CLAIM);
      this.outage.over(this);
    } catch (err) {
      this.outage.noted(this, err);
      wait = lease.duration / ATTEMPTS;
    }
    if (this.#closed) return;
    this.#cancelTick = clock.schedule(wait, () => {
      this.#ticking = this.#tick(takeOver);
    });
  }

  /** Waits for the store, but no longer than until the next renewal is due. An answer that comes later has its effect then. */
  async #answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { lease, clock } = this.#options;
    const wait = lease.duration / RENEWALS;
    let cancel: (() => void) | undefined;
    const silence = new Promise<never>((_, reject) => {
      cancel = clock.schedule(wait, () => reject(new Error(`The store has not answered for ${wait} ms`)));
    });
    try {
      return await Promise.race([answer, silence]);
    } finally {
      cancel?.();
    }
  }

  async #renew(): Promise<void> {
    const { store, lease, clock } = this.#options;
    const tenures = [...this.#leases.values()];
    if (tenures.length === 0) return;
    const now = clock.now();
    const generations = await store.renewTasks(lease, tenures);
    for (const [index, tenure] of tenures.entries()) {
      if (!tenure.held) continue;
      const generation = generations[index];
      if (generation === undefined) tenure.holder?.gone();
      else {
        tenure.heldAt = Math.max(tenure.heldAt, now);
        tenure.holder?.look(generation);
      }
    }
  }

  /** Takes over tasks that have no holder; gives how many were found. */
  async #claim(takeOver: (task: ClaimedTask, heldAt: number) => void): Promise<number> {
    const { store, agent, lease, clock } = this.#options;
    const now = clock.now();
    const tasks = await store.claimTasks(agent, { ...lease, token: this.#token() }, CLAIM);
    // When the answer took too long they belong to the node that comes next.
    const isHeld = clock.now() - now < lease.duration && !this.#closed;
    if (isHeld) for (const task of tasks) takeOver(task, now);
    return tasks.length;
  }

  /** Has the leases looked at when the first of them runs out. */
  #guard(): void {
    if (this.#cancelGuard !== undefined || this.#closed) return;
    const { clock, lease } = this.#options;
    let first = Number.POSITIVE_INFINITY;
    for (const { heldAt } of this.#all()) first = Math.min(first, heldAt);
    if (first === Number.POSITIVE_INFINITY) return;
    this.#cancelGuard = clock.schedule(first + lease.duration - clock.now(), () => {
      this.#cancelGuard = undefined;
      this.#loseOld();
      this.#guard();
    });
  }

  /** What was not renewed in time may be worked on by another node now. */
  #loseOld(): void {
    const { clock, lease, logger } = this.#options;
    const now = clock.now();
    const lost = [...this.#all()].filter(({ heldAt }) => now - heldAt >= lease.duration);
    if (lost.length === 0) return;
    logger.warn({ tasks: lost.length }, "Leases have run out: the executors of their tasks are told to stop");
    for (const tenure of lost) {
      tenure.holder?.lose();
      tenure.end();
    }
  }

  *#all(): IterableIterator<ExecutionLease> {
    yield* this.#leases.values();
    yield* this.#acquiring;
  }

  #token(): string {
    this.#count += 1;
    return `${this.#options.lease.node} ${this.#count}`;
  }
}
