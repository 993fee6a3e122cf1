import type { ExecutorLimiter, ExecutorSlot } from "../engine/engine-options.js";
import type { Complete } from "../json/omit.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";
import type { Limits } from "./limits.js";
import { type Leave, Quota } from "./quota.js";

/** Limits on executors. */
type WorkLimits = Pick<
  Complete<Limits>,
  "tasks" | "tasksPerPrincipal" | "abandoned" | "abandonedPerPrincipal" | "queue" | "queueTime" | "stopTime"
>;

/**
 * Limits how many executors work at a time. An executor that ignores its abort signal keeps its slot for `stopTime`; after that it
 * counts as abandoned. When the limit of abandoned executors is reached, no executor starts, so that executors which ignore their
 * signal cannot pile up however many tasks are canceled.
 */
export class ExecutorSlots implements ExecutorLimiter {
  readonly stopTime: number;
  readonly #working: Quota;
  readonly #abandoned: Quota;
  #isClosed = false;

  constructor(limits: WorkLimits) {
    const { tasks, tasksPerPrincipal, abandoned, abandonedPerPrincipal, queue, queueTime, stopTime } = limits;
    this.stopTime = stopTime * 1000;
    this.#working = new Quota({
      what: "tasks being worked on",
      ...{ total: tasks, each: tasksPerPrincipal, queue, queueTime },
    });
    this.#abandoned = new Quota({
      what: "executors that do not stop",
      ...{ total: abandoned, each: abandonedPerPrincipal },
    });
  }

  /** Number of executors at work, without the abandoned ones. */
  get size(): number {
    return this.#working.size;
  }

  /** Number of messages that wait for a slot, with those of work that was accepted before. */
  get waiting(): number {
    return this.#working.waiting;
  }

  /** Number of executors that still run `stopTime` after their signal aborted. */
  get abandoned(): number {
    return this.#abandoned.size;
  }

  /**
   * Takes a slot, or waits for one if the queue has room.
   * @throws A2AError if the caller cannot wait: RATE_LIMITED when it has all slots that one caller may have, UNAVAILABLE when no slot is
   * free; UNAVAILABLE when too many executors are abandoned
   */
  acquire(call: CallContext): ExecutorSlot | Promise<ExecutorSlot> {
    const fault = this.abandoned > 0 ? this.#abandoned.fault(call) : undefined;
    if (fault !== undefined) throw new A2AError("UNAVAILABLE", fault.message, { retryAfter: RETRY_SECONDS });
    const entering = this.#working.enter(call);
    return entering instanceof Promise
      ? entering.then((leave) => this.#slotOf(call, leave))
      : this.#slotOf(call, entering);
  }

  /** Number of executors that may start now, if the limit of one caller allows it. */
  get free(): number {
    return this.#working.free;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Takes a slot for work that was accepted before, or waits for one. The limits of the queue do not count the wait, and abandoned
   * executors do not prevent the start.
   * @throws A2AError RATE_LIMITED or UNAVAILABLE if the signal of the call aborts during the wait
   */
  async awaitSlot(call: CallContext): Promise<ExecutorSlot> {
    return this.#slotOf(call, await this.#working.awaitPlace(call));
  }

  /** Refuses all waiting messages, because the server stops. Work that was accepted before still waits. */
  close(): void {
    this.#isClosed = true;
    this.#working.close();
  }

  #slotOf(call: CallContext, leave: Leave): ExecutorSlot {
    return new Slot(this.#abandoned, call, leave);
  }
}

/** The slot of one executor: a place among those at work, or among the abandoned ones. */
class Slot implements ExecutorSlot {
  readonly #abandoned: Quota;
  readonly #call: CallContext;
  #leave: Leave;

  constructor(abandoned: Quota, call: CallContext, leave: Leave) {
    this.#abandoned = abandoned;
    this.#call = call;
    this.#leave = leave;
  }

  release(): void {
    this.#leave();
  }

  abandon(): void {
    // Beyond the limit of abandoned executors it keeps its slot.
    if (this.#abandoned.fault(this.#call) !== undefined) return;
    const leaveWork = this.#leave;
    this.#leave = this.#abandoned.take(this.#call);
    leaveWork();
  }
}
