import type { Logger } from "../logger.js";
import type { Clock } from "../stores/clock.js";
import type { Lease, LeaseStore, TakenTask } from "../stores/lease-store.js";
import type { LogEntry } from "../stores/task-store.js";
import { keyOf } from "./executions.js";
import { Outage } from "./outage.js";
import type { TaskLog } from "./task-log.js";
import { type Register, Tenure } from "./tenure.js";

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
 * The leases of this process on tasks of one agent: one timer renews all of them, and takes over tasks whose node did not come
 * back. What others add to a task that is held here reaches whoever works on it at once.
 */
export class Leases implements Register {
  readonly outage: Outage;
  readonly #options: LeasesOptions;
  readonly #tenures = new Map<string, Tenure>();
  #count = 0;
  #unwatch: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.outage = new Outage(options.logger, options.clock);
  }

  /** The lease that an execution will take with its first append, or that it has been given. */
  tenure(log: TaskLog, token = this.#token()): Tenure {
    const { store, lease } = this.#options;
    return new Tenure({ store, log, lease, token, register: this });
  }

  /**
   * Adds to the log of a task that another node holds.
   * @returns the generation of the last entry
   * @throws GenerationConflict, LeaseConflict when nobody holds it
   */
  leave({ scope, taskId }: TaskLog, expected: number, entries: readonly LogEntry[]): Promise<number> {
    return this.#options.store.append(scope, taskId, expected, entries, { guest: true });
  }

  add(tenure: Tenure): void {
    tenure.heldAt = this.#options.clock.now();
    this.#tenures.set(keyOf(tenure), tenure);
  }

  remove(tenure: Tenure): void {
    const key = keyOf(tenure);
    if (this.#tenures.get(key) === tenure) this.#tenures.delete(key);
  }

  /**
   * Takes up what was left undone by processes that have died, now and from time to time.
   * @param takeOver is given each such task, under a lease that is held
   */
  start(takeOver: (task: TakenTask) => void): void {
    const { store, lease } = this.#options;
    this.#unwatch = store.watchTasks(lease.node, (task) => this.#tenures.get(keyOf(task))?.tenant?.look());
    this.#ticking = this.#tick(takeOver);
  }

  /** Leaves the tasks that are held to whoever comes next. */
  async close(): Promise<void> {
    const { store, agent, lease, logger } = this.#options;
    this.#closed = true;
    this.#unwatch?.();
    this.#cancelTick?.();
    await this.#ticking;
    try {
      await store.releaseTasks(agent, lease.node);
    } catch (err) {
      logger.error({ err }, "The leases on tasks could not be released");
    }
  }

  async #tick(takeOver: (task: TakenTask) => void): Promise<void> {
    const { store, agent, lease, clock, logger } = this.#options;
    let wait = lease.duration / RENEWALS;
    try {
      await this.#renew();
      for (let found = CLAIM; found === CLAIM && !this.#closed; ) {
        const tasks = await store.claimTasks(agent, { ...lease, token: this.#token() }, CLAIM);
        for (const task of tasks) takeOver(task);
        found = tasks.length;
      }
    } catch (err) {
      logger.error({ err }, "The leases on tasks could not be renewed");
      this.#loseOld();
      wait = lease.duration / ATTEMPTS;
    }
    if (this.#closed) return;
    this.#cancelTick = clock.schedule(wait, () => {
      this.#ticking = this.#tick(takeOver);
    });
  }

  async #renew(): Promise<void> {
    const { store, lease, clock } = this.#options;
    const tenures = [...this.#tenures.values()];
    if (tenures.length === 0) return;
    const now = clock.now();
    const generations = await store.renewTasks(lease, tenures);
    for (const [index, tenure] of tenures.entries()) {
      if (!tenure.held) continue;
      const generation = generations[index];
      if (generation === undefined) tenure.tenant?.gone();
      else {
        tenure.heldAt = now;
        tenure.tenant?.look(generation);
      }
    }
  }

  /** What could not be renewed in time may be worked on by another node now. */
  #loseOld(): void {
    const { clock, lease } = this.#options;
    const now = clock.now();
    for (const tenure of [...this.#tenures.values()]) {
      if (now - tenure.heldAt >= lease.duration) tenure.tenant?.lose();
    }
  }

  #token(): string {
    this.#count += 1;
    return `${this.#options.lease.node} ${this.#count}`;
  }
}
