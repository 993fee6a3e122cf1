import type { HeldTask, Lease, LeaseStore } from "../../stores/lease-store.js";
import type { LogEntry, Scope } from "../../stores/task-store.js";
import type { TaskLog } from "../task-log.js";
import type { Outage } from "./outage.js";

/**
 * The state of a lease:
 * - `wanted`: the first append of the execution will take the lease.
 * - `acquiring`: that append was sent; whether the store granted the lease is not known yet.
 * - `held`: the store granted the lease, and it is renewed.
 * - `over`: the lease was released, lost or not granted, or its task or execution has ended.
 */
export type LeaseState = "wanted" | "acquiring" | "held" | "over";

/**
 * An event of a lease:
 * - `appended`: another writer may have appended to the log. `generation` is the last one of the log, if known.
 * - `revoked`: the store no longer has the lease. The log says whether the task has ended.
 * - `expired`: the lease was not granted or renewed in time by the clock of this process, so another node may work on the task.
 */
export type LeaseEvent =
  | { readonly kind: "appended"; readonly generation?: number }
  | { readonly kind: "revoked" }
  | { readonly kind: "expired" };

/** Parameters of an {@link ExecutionLease}. */
export interface ExecutionLeaseParts {
  readonly store: LeaseStore;
  readonly log: TaskLog;
  readonly lease: Lease;
  /** The token, or a function that creates it when it is first read. */
  readonly token: string | (() => string);
  readonly outage: Outage;
  /** Called each time `state` is set, with the state before. */
  readonly onState: (lease: ExecutionLease, before: LeaseState) => void;
}

/** The lease of one execution on its task. Unless it was taken over, the first append of the execution takes it. */
export class ExecutionLease implements HeldTask {
  /** Milliseconds for which the lease lasts unless it is renewed. */
  readonly duration: number;
  /** Logs failures of the store. */
  readonly outage: Outage;
  /** Generation that records the message on which the executor works. */
  work = 1;
  /**
   * Time from which this process counts the duration of the lease, in milliseconds since 1970: when it sent the request that took or
   * renewed the lease. The store counts from a later time, when it carries the request out.
   */
  heldAt = 0;
  /** Called with each event of the lease; set by a take-over, and then by the execution that works under it. */
  onEvent: ((event: LeaseEvent) => void) | undefined;
  readonly #parts: ExecutionLeaseParts;
  #token: string | undefined;
  #state: LeaseState = "wanted";

  constructor(parts: ExecutionLeaseParts) {
    this.#parts = parts;
    this.duration = parts.lease.duration;
    this.outage = parts.outage;
  }

  get token(): string {
    const { token } = this.#parts;
    this.#token ??= typeof token === "string" ? token : token();
    return this.#token;
  }

  get scope(): Scope {
    return this.#parts.log.scope;
  }

  get taskId(): string {
    return this.#parts.log.taskId;
  }

  /** Key of the task, unique over all scopes. */
  get key(): string {
    return this.#parts.log.key;
  }

  get state(): LeaseState {
    return this.#state;
  }

  /** Whether this process does not know of a grant yet: the state is `wanted` or `acquiring`. */
  get isUnconfirmed(): boolean {
    return this.#state === "wanted" || this.#state === "acquiring";
  }

  get held(): boolean {
    return this.#state === "held";
  }

  /**
   * Appends under the lease. While the grant is unconfirmed, the append takes the lease in the same step.
   * @returns the generation of the last entry
   * @throws LeaseConflict if another execution has the task, or the lease is lost; GenerationConflict if the log is not at `expected`, or
   * has ended; the other errors of the store's `append`
   */
  append(expected: number, entries: readonly LogEntry[]): Promise<number> {
    const { store, log, lease } = this.#parts;
    const { token, duration, work } = this;
    const isFirst = this.isUnconfirmed;
    if (isFirst) this.#enter("acquiring");
    const right = isFirst ? { lease: { node: lease.node, duration, token }, work } : { token, work };
    return store.append(log.scope, log.taskId, expected, entries, right);
  }

  /** Records that the store granted the lease. */
  begin(): void {
    if (this.isUnconfirmed) this.#enter("held");
  }

  /** Records that the lease is over. */
  end(): void {
    if (this.#state !== "over") this.#enter("over");
  }

  /**
   * Releases the lease because no work is left for the task.
   * @param generation the last generation that the execution has seen
   * @returns false, with the lease as it was, if the log has moved on or the store no longer has the lease
   * @throws what the store throws
   */
  async release(generation: number): Promise<boolean> {
    const isReleased = await this.#parts.store.settleTask(this, generation);
    if (isReleased) this.end();
    return isReleased;
  }

  #enter(state: LeaseState): void {
    const before = this.#state;
    this.#state = state;
    this.#parts.onState(this, before);
  }
}
