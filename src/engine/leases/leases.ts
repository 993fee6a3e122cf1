import type { Clock } from "../../async/clock.js";
import { everyStep } from "../../async/every-step.js";
import { ShortLivedMap } from "../../collections/short-lived-map.js";
import type { Logger } from "../../protocol/logger.js";
import type { ClaimedTask, Lease, LeaseStore } from "../../stores/lease-store.js";
import { keyInScope, type LogEntry } from "../../stores/task-store.js";
import type { TaskLog } from "../task-log.js";
import { ExecutionLease, type LeaseState } from "./execution-lease.js";
import { Outage } from "./outage.js";

/** Maximum number of tasks that one call to the store claims. */
const CLAIM_LIMIT = 100;
/** Maximum number of regular renewals, and of regular searches for expired leases, per duration of a lease. */
const RENEWALS = 3;
/** Maximum number of attempts at both per duration of a lease while calls to the store fail. */
const ATTEMPTS = 10;

/** Takes over tasks. */
interface TaskTaker {
  /** Maximum number of tasks to claim now. It is 0 only while a take-over is under way, and once no task may be claimed any more. */
  readonly room: number;
  /**
   * Takes over a task. Resolves when its work has restarted, or when the take-over ends without that. Never rejects.
   * @param heldAt time from which the duration of its lease counts, in milliseconds since 1970
   */
  take(task: ClaimedTask, heldAt: number): Promise<void>;
}

/** Options of {@link Leases}. */
export interface LeasesOptions {
  readonly store: LeaseStore;
  /** Name of the agent in the store. */
  readonly agent: string;
  readonly lease: Lease;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The leases of this process on the tasks of one agent. One timer renews all of them and takes over tasks whose lease has expired. A second
 * timer ends leases that were not granted or renewed in time by the clock of this process. {@link ExecutionLease.onEvent} informs the
 * execution.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #outage: Outage;
  /** By the key of the task. */
  readonly #held = new ShortLivedMap<ExecutionLease>();
  /** By token. */
  readonly #acquiring = new ShortLivedMap<ExecutionLease>();
  #count = 0;
  #unwatch: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #cancelExpiry: (() => void) | undefined;
  /** `heldAt` of the lease whose expiry the timer waits for. */
  #firstHeldAt = 0;
  #ticking: Promise<void> = Promise.resolve();
  #taker: TaskTaker | undefined;
  /** Take-overs that have begun and not ended. */
  readonly #taking = new Set<Promise<void>>();
  /** Whether the last search ended because there was no room. When a take-over ends, another search then begins. */
  #leftSome = false;
  #claimingLeft: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.#outage = new Outage(options.logger, options.clock);
  }

  /**
   * Creates the lease of an execution.
   * @param token token of a lease that was taken over; the caller of this method then calls {@link ExecutionLease.begin}. Absent for a lease
   * that the first append takes
   */
  leaseFor(log: TaskLog, token: string | (() => string) = this.#newToken): ExecutionLease {
    const { store, lease } = this.#options;
    return new ExecutionLease({ store, log, lease, token, outage: this.#outage, onState: this.#track });
  }

  /** Whether this process holds the lease on a task. */
  holds({ key }: TaskLog): boolean {
    return this.#held.get(key) !== undefined;
  }

  /**
   * Appends to the log of a task whose lease a node holds.
   * @returns the generation of the last entry
   * @throws GenerationConflict if the log is not at `expected`, or has ended; LeaseConflict if the task has no lease; the other errors of
   * the store's `append`
   */
  appendExternal(
    { scope, taskId }: TaskLog,
    expected: number,
    entries: readonly LogEntry[],
  ): Promise<number> {
    return this.#options.store.append(scope, taskId, expected, entries, { external: true });
  }

  /**
   * Starts to renew leases and to take over tasks whose lease has expired.
   * @param taker gets the tasks that this process claims
   */
  start(taker: TaskTaker): void {
    const { store, lease } = this.#options;
    this.#unwatch = store.watchTasks(lease.node, ({ scope, taskId }) => {
      this.#held.get(keyInScope(scope, taskId))?.onEvent?.({ kind: "appended" });
    });
    this.#taker = taker;
    this.#ticking = this.#tick();
  }

  /**
   * Renews leases and takes over tasks now, where no timer can be relied on. Resolves when the take-overs have ended. Has no effect before
   * {@link start} and after {@link close}.
   */
  async tick(): Promise<void> {
    await this.#ticking;
    this.#cancelTick?.();
    if (this.#closed || this.#taker === undefined) return;
    this.#ticking = this.#tick();
    await this.idle();
  }

  /** Resolves when the take-overs have ended, including those of a search for expired leases that has begun. */
  async idle(): Promise<void> {
    await this.#ticking;
    let claiming: Promise<void>;
    do {
      await Promise.all(this.#taking);
      claiming = this.#claimingLeft;
      await claiming;
      // A take-over that has ended in the meantime may have begun another search.
    } while (this.#taking.size > 0 || claiming !== this.#claimingLeft);
  }

  /** Releases all leases, so that other processes need not wait for their expiry. If the store fails, the leases expire instead. */
  async close(): Promise<void> {
    this.#closed = true;
    await everyStep([() => this.#unwatch?.(), () => this.#release()]);
  }

  async #release(): Promise<void> {
    const { store, agent, lease, logger } = this.#options;
    this.#cancelTick?.();
    await Promise.all([this.#ticking, this.#claimingLeft]);
    this.#cancelExpiry?.();
    try {
      await this.#withTimeout(store.releaseTasks(agent, lease.node));
    } catch (err) {
      logger.error({ err }, "The leases on tasks could not be released");
    }
  }

  async #tick(): Promise<void> {
    const { lease, clock } = this.#options;
    let wait = lease.duration / RENEWALS;
    try {
      await this.#withTimeout(this.#renew());
      await this.#claimAll();
      this.#outage.recovered(this);
    } catch (err) {
      this.#outage.failed(this, err);
      wait = lease.duration / ATTEMPTS;
    }
    if (this.#closed) return;
    // Calls of `tick` may overlap, and the timer of another one may be set.
    this.#cancelTick?.();
    this.#cancelTick = clock.schedule(wait, () => {
      this.#ticking = this.#tick();
    });
  }

  /** Waits for a call to the store, at most for the time between two renewals. A call that completes later still takes effect. */
  async #withTimeout<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { lease, clock } = this.#options;
    const wait = lease.duration / RENEWALS;
    let cancel: (() => void) | undefined;
    const timeout = new Promise<never>((_, reject) => {
      cancel = clock.schedule(wait, () =>
        reject(new Error(`The store has not answered for ${Math.round(wait)} ms`)),
      );
    });
    try {
      return await Promise.race([answer, timeout]);
    } finally {
      cancel?.();
    }
  }

  async #renew(): Promise<void> {
    const { store, lease, clock } = this.#options;
    const leases = this.#held.values();
    if (leases.length === 0) return;
    const now = clock.now();
    const generations = await store.renewTasks(lease, leases);
    for (const [index, renewed] of leases.entries()) {
      if (!renewed.held) continue;
      const generation = generations[index];
      if (generation === undefined) {
        renewed.onEvent?.({ kind: "revoked" });
        continue;
      }
      renewed.heldAt = Math.max(renewed.heldAt, now);
      renewed.onEvent?.({ kind: "appended", generation });
    }
  }

  /** Claims tasks whose lease has expired, as many as there is room for: the others are left to nodes that have room. */
  async #claimAll(): Promise<void> {
    while (!this.#closed) {
      const room = this.#taker?.room ?? 0;
      this.#leftSome = room === 0;
      if (room === 0) return;
      const limit = Math.min(room, CLAIM_LIMIT);
      if ((await this.#withTimeout(this.#claim(limit))) < limit) return;
    }
  }

  /** Claims tasks whose lease has expired, and returns how many it has claimed. */
  async #claim(limit: number): Promise<number> {
    const { store, agent, lease, clock } = this.#options;
    const now = clock.now();
    const tasks = await store.claimTasks(agent, { ...lease, token: this.#newToken() }, limit);
    // If the response took as long as a lease lasts, the tasks may belong to another node by now.
    const isHeld = clock.now() - now < lease.duration && !this.#closed;
    if (isHeld) for (const task of tasks) this.#take(task, now);
    return tasks.length;
  }

  #take(task: ClaimedTask, heldAt: number): void {
    const taken = this.#taker?.take(task, heldAt) ?? Promise.resolve();
    this.#taking.add(taken);
    void taken.then(() => {
      this.#taking.delete(taken);
      if (this.#leftSome) this.#claimingLeft = this.#claimingLeft.then(this.#claimLeft);
    });
  }

  /** Claims the tasks that were left, unless this has happened already. If the store fails, the next tick claims them. */
  readonly #claimLeft = async (): Promise<void> => {
    if (this.#leftSome) await this.#claimAll().catch(() => undefined);
  };

  /** Sets the timer that fires when a lease expires, unless it is already set for one that expires no later. */
  #watchExpiry(heldAt: number): void {
    const isSet = this.#cancelExpiry !== undefined && this.#firstHeldAt <= heldAt;
    if (isSet || this.#closed || heldAt === Number.POSITIVE_INFINITY) return;
    const { clock, lease } = this.#options;
    this.#cancelExpiry?.();
    this.#firstHeldAt = heldAt;
    this.#cancelExpiry = clock.schedule(heldAt + lease.duration - clock.now(), () => {
      this.#cancelExpiry = undefined;
      this.#expire();
      let first = Number.POSITIVE_INFINITY;
      for (const { heldAt: next } of this.#all) first = Math.min(first, next);
      this.#watchExpiry(first);
    });
  }

  /** Ends the leases that were not granted or renewed in time. */
  #expire(): void {
    const { clock, lease, logger } = this.#options;
    const now = clock.now();
    const lost = this.#all.filter(({ heldAt }) => now - heldAt >= lease.duration);
    if (lost.length === 0) return;
    logger.warn({ tasks: lost.length }, "Leases have expired: the executors of their tasks are aborted");
    for (const expired of lost) {
      expired.onEvent?.({ kind: "expired" });
      expired.end();
    }
  }

  /** Keeps track of a lease whose state has changed. */
  readonly #track = (lease: ExecutionLease, before: LeaseState): void => {
    if (lease.state === "acquiring") {
      lease.heldAt = this.#options.clock.now();
      this.#acquiring.set(lease.token, lease);
      this.#watchExpiry(lease.heldAt);
      return;
    }
    if (before === "acquiring") this.#acquiring.delete(lease.token);
    if (lease.held) {
      this.#held.set(lease.key, lease);
      this.#watchExpiry(lease.heldAt);
    } else if (before === "held" && this.#held.get(lease.key) === lease) this.#held.delete(lease.key);
  };

  get #all(): readonly ExecutionLease[] {
    return [...this.#held.values(), ...this.#acquiring.values()];
  }

  readonly #newToken = (): string => {
    this.#count += 1;
    return `${this.#options.lease.node} ${this.#count}`;
  };
}
