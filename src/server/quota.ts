import { timeoutOf } from "../async/clock.js";
import { KeyedCounter } from "../collections/keyed-counter.js";
import { networkOf } from "../net/network-of.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";

/** How much may be held at the same time. */
export interface QuotaOptions {
  /** What is held, in words for callers: `open streams`. */
  readonly what: string;
  /** By all callers together. */
  readonly total: number;
  /** By one caller. */
  readonly each: number;
  /** How many may wait; none by default. */
  readonly queue?: number;
  /** Seconds that they may wait. */
  readonly queueTime?: number;
}

/** Gives back what was held; calling it again has no effect. */
export type Leave = () => void;

/** A waiting request. */
interface Waiting {
  readonly key: string;
  readonly admit: () => void;
  readonly refuse: (error: A2AError) => void;
}

/** Counts what callers hold at the same time, and refuses more than that, or lets it wait its turn. */
export class Quota {
  readonly #options: Required<QuotaOptions>;
  readonly #held = new KeyedCounter();
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>();

  constructor(options: QuotaOptions) {
    this.#options = { queue: 0, queueTime: 0, ...options };
  }

  /** How much is held. */
  get size(): number {
    return this.#held.total;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Why a caller cannot take one now, RATE_LIMITED or UNAVAILABLE; undefined when it can. */
  fault(call: CallContext): A2AError | undefined {
    return this.#fault(callerKey(call));
  }

  /**
   * Takes one, at once.
   * @throws A2AError RATE_LIMITED when the caller holds as much as it may, UNAVAILABLE when all callers together do
   */
  take(call: CallContext): Leave {
    const key = callerKey(call);
    const fault = this.#fault(key);
    if (fault !== undefined) throw fault;
    return this.#take(key);
  }

  /**
   * Takes one, or waits for it as long as there is room to wait. Who has gone away waits no longer.
   * @throws A2AError as {@link take}
   */
  enter(call: CallContext): Leave | Promise<Leave> {
    const key = callerKey(call);
    const fault = this.#fault(key);
    if (fault === undefined) return this.#take(key);
    const { queue, each } = this.#options;
    const mine = [...this.#waiting].filter((waiting) => waiting.key === key).length;
    if (this.#waiting.size >= queue || mine >= each) throw fault;
    return this.#wait(key, call.signal, fault);
  }

  /** Refuses all who wait, as the server stops. */
  close(): void {
    for (const waiting of this.#waiting) {
      waiting.refuse(new A2AError("UNAVAILABLE", undefined, { retryAfter: RETRY_SECONDS }));
    }
  }

  #fault(key: string): A2AError | undefined {
    const { what, total, each } = this.#options;
    const retry = { retryAfter: RETRY_SECONDS };
    if (this.#held.of(key) >= each) {
      return new A2AError(
        "RATE_LIMITED",
        `There are ${each} ${what} for this caller, as many as it may have`,
        retry,
      );
    }
    if (this.size >= total) {
      return new A2AError("UNAVAILABLE", `There are ${total} ${what}, as many as there may be`, retry);
    }
    return undefined;
  }

  #take(key: string): Leave {
    let isMine = true;
    this.#held.add(key, 1);
    return () => {
      if (!isMine) return;
      isMine = false;
      this.#release(key);
    };
  }

  #release(key: string): void {
    this.#held.add(key, -1);
    for (const waiting of this.#waiting) {
      if (this.#fault(waiting.key) !== undefined) continue;
      waiting.admit();
      return;
    }
  }

  #wait(key: string, signal: AbortSignal, fault: A2AError): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        this.#waiting.delete(waiting);
      };
      const refuse = (error: A2AError) => {
        done();
        reject(error);
      };
      const giveUp = () => refuse(fault);
      const admit = () => {
        done();
        resolve(this.#take(key));
      };
      const waiting: Waiting = { key, admit, refuse };
      const timer = setTimeout(giveUp, timeoutOf(this.#options.queueTime * 1000));
      this.#waiting.add(waiting);
      if (signal.aborted) giveUp();
      else signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}

/** The key of a caller in quotas: its principal, or its network when it is anonymous. */
export function callerKey({ principal, address }: Pick<CallContext, "principal" | "address">): string {
  return principal.id === "" ? `address ${networkOf(address)}` : `principal ${principal.id}`;
}
