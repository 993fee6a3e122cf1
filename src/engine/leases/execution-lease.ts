import type { HeldTask, Lease, LeaseStore } from "../../stores/lease-store.js";
import type { LogEntry, Scope } from "../../stores/task-store.js";
import type { TaskLog } from "../task-log.js";
import type { Outage } from "./outage.js";

/** Who writes a log under a lease. */
export interface LeaseHolder {
  /**
   * Others may have added to the log: look at it.
   * @param generation where the log is known to be
   */
  look(generation?: number): void;
  /** The lease is not there any more: look why. */
  gone(): void;
  /** The lease was not renewed in time: another node may have the task. */
  lose(): void;
}

/** Where tenures are renewed. */
export interface LeaseRenewer {
  /** What the operator is told when the store fails. */
  readonly outage: Outage;
  /** The append that takes the lease is sent now. */
  acquiring(tenure: ExecutionLease): void;
  add(tenure: ExecutionLease): void;
  remove(tenure: ExecutionLease): void;
}

/** What a tenure is made of. */
export interface ExecutionLeaseParts {
  readonly store: LeaseStore;
  readonly log: TaskLog;
  readonly lease: Lease;
  readonly token: string;
  readonly renewer: LeaseRenewer;
}

/** The lease of one execution on its task, from the append that takes it until the work is done or lost. */
export class ExecutionLease implements HeldTask {
  readonly token: string;
  /** Milliseconds for which it lasts unless it is renewed. */
  readonly duration: number;
  /** Generation that records the message which is being worked on. */
  work = 1;
  /**
   * Since when it lasts at least, by the clock of this process: when the request that took or renewed it was sent. The store
   * counts from the moment in which it carries the request out.
   */
  heldAt = 0;
  /** Who writes under it. */
  holder: LeaseHolder | undefined;
  readonly #parts: ExecutionLeaseParts;
  #state: "wanted" | "held" | "over" = "wanted";

  constructor(parts: ExecutionLeaseParts) {
    this.#parts = parts;
    this.token = parts.token;
    this.duration = parts.lease.duration;
  }

  get scope(): Scope {
    return this.#parts.log.scope;
  }

  get taskId(): string {
    return this.#parts.log.taskId;
  }

  get outage(): Outage {
    return this.#parts.renewer.outage;
  }

  /** Whether it will be taken by the first append. */
  get wanted(): boolean {
    return this.#state === "wanted";
  }

  get held(): boolean {
    return this.#state === "held";
  }

  /** Appends as its holder: takes the lease with the first entries, and is bound to it from then on. */
  append(expected: number, entries: readonly LogEntry[]): Promise<number> {
    const { store, log, lease } = this.#parts;
    const { token, duration, work } = this;
    if (this.wanted) this.#parts.renewer.acquiring(this);
    const right = this.wanted ? { lease: { node: lease.node, duration, token }, work } : { token, work };
    return store.append(log.scope, log.taskId, expected, entries, right);
  }

  /** The lease is there: from now on it is renewed. */
  begin(): void {
    if (this.#state !== "wanted") return;
    this.#state = "held";
    this.#parts.renewer.add(this);
  }

  /** The lease is of no use any more, or gone. */
  end(): void {
    if (this.#state !== "over") this.#parts.renewer.remove(this);
    this.#state = "over";
  }

  /**
   * Gives the lease back because the task waits for its caller.
   * @returns false when the log has moved behind `generation`, or the lease is gone
   */
  async settle(generation: number): Promise<boolean> {
    const isSettled = await this.#parts.store.settleTask(this, generation);
    if (isSettled) this.end();
    return isSettled;
  }
}
