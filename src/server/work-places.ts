import type { Places, WorkPlace } from "../engine/engine-options.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";
import type { Limits } from "./limits.js";
import { Quota } from "./quota.js";

/** Limits on executors. */
type WorkLimits = Pick<
  Required<Limits>,
  "tasks" | "tasksPerPrincipal" | "abandoned" | "abandonedPerPrincipal" | "queue" | "queueTime" | "stopTime"
>;

/**
 * The places of executors that are at work. One that was told to stop and goes on keeps its place no longer than `stopTime`:
 * then it counts as abandoned. When there are as many of those as there may be, nothing new is begun, so that executors which
 * ignore their signal cannot pile up however many tasks are canceled.
 */
export class WorkPlaces implements Places {
  readonly stopTime: number;
  readonly #working: Quota;
  readonly #abandoned: Quota;

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

  /** How many executors are at work, those left out that are abandoned. */
  get size(): number {
    return this.#working.size;
  }

  /** How many messages wait for a place. */
  get waiting(): number {
    return this.#working.waiting;
  }

  /** How many executors go on although they were told to stop. */
  get abandoned(): number {
    return this.#abandoned.size;
  }

  /**
   * Takes a place, or waits for one as long as there is room to wait.
   * @throws A2AError RATE_LIMITED when the caller has as many as it may, UNAVAILABLE when all callers together do, or too many
   * executors are abandoned
   */
  enter(call: CallContext): WorkPlace | Promise<WorkPlace> {
    const fault = this.#abandoned.fault(call);
    if (fault !== undefined) throw new A2AError("UNAVAILABLE", fault.message, { retryAfter: RETRY_SECONDS });
    const entering = this.#working.enter(call);
    return entering instanceof Promise
      ? entering.then((leave) => this.#placeOf(call, leave))
      : this.#placeOf(call, entering);
  }

  /** Refuses all who wait, as the server stops. */
  close(): void {
    this.#working.close();
  }

  #placeOf(call: CallContext, leaveWork: () => void): WorkPlace {
    let leave = leaveWork;
    return {
      leave: () => leave(),
      abandon: () => {
        // Without room for it among the abandoned it stays among those at work.
        if (this.#abandoned.fault(call) !== undefined) return;
        leave = this.#abandoned.take(call);
        leaveWork();
      },
    };
  }
}
