import { timeoutOf } from "../async/clock.js";
import { KeyedCounter } from "../collections/keyed-counter.js";
import { networkOf } from "../net/network-of.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";

/** The limits of a {@link Quota}. */
export interface QuotaOptions {
  /** A plural noun for error messages, such as `open streams`. */
  readonly what: string;
  /** Maximum for all callers together. */
  readonly total: number;
  /** Maximum for one caller. */
  readonly each: number;
  /** Maximum number of waiting requests; 0 by default. */
  readonly queue?: number;
  /** Maximum seconds that a request waits; 0 by default. */
  readonly queueTime?: number;
}

/** Releases a place. Calling it again has no effect. */
export type Leave = () => void;

/** A waiting request. */
interface Waiting {
  readonly key: string;
  /** Whether the limits on waiting requests count it. */
  readonly isLimited: boolean;
  readonly admit: () => void;
  readonly refuse: (error: A2AError) => void;
}

/** A request that has to wait. */
interface Wait extends Pick<Waiting, "key" | "isLimited"> {
  readonly signal: AbortSignal;
  /** The error of a wait that ends without a place. */
  readonly fault: A2AError;
}

/** Limits how many places callers hold at the same time. A request for a further place is refused, or waits in a queue. */
export class Quota {
  readonly #options: Required<QuotaOptions>;
  readonly #held = new KeyedCounter();
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiting>();

  constructor(options: QuotaOptions) {
    this.#options = { queue: 0, queueTime: 0, ...options };
  }

  /** Number of places that are held. */
  get size(): number {
    return this.#held.total;
  }

  /** Number of waiting requests. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Number of places that are not held. */
  get free(): number {
    return Math.max(this.#options.total - this.size, 0);
  }

  /** The error with which a request for a place would be refused now, RATE_LIMITED or UNAVAILABLE; undefined if one is free. */
  fault(call: CallContext): A2AError | undefined {
    return this.#fault(callerKey(call));
  }

  /**
   * Takes a place without waiting.
   * @throws A2AError RATE_LIMITED when the caller has its maximum, UNAVAILABLE when all callers together have theirs
   */
  take(call: CallContext): Leave {
    const key = callerKey(call);
    const fault = this.#fault(key);
    if (fault !== undefined) throw fault;
    return this.#take(key);
  }

  /**
   * Takes a place, or waits for one if the queue has room; a caller may have no more waiting requests than places. The wait ends with the
   * error of {@link take} after `queueTime` or when the signal of the call aborts.
   * @throws A2AError as {@link take} when it cannot wait
   */
  enter(call: CallContext): Leave | Promise<Leave> {
    const key = callerKey(call);
    const fault = this.#fault(key);
    if (fault === undefined) return this.#take(key);
    const { queue, each } = this.#options;
    const queued = [...this.#waiting].filter((waiting) => waiting.isLimited);
    const mine = queued.filter((waiting) => waiting.key === key).length;
    if (queued.length >= queue || mine >= each) throw fault;
    return this.#wait({ key, signal: call.signal, fault, isLimited: true });
  }

  /**
   * Takes a place, or waits for one, however many requests wait. The wait ends with the error of {@link take} when the signal of the call
   * aborts.
   */
  async awaitPlace(call: CallContext): Promise<Leave> {
    const key = callerKey(call);
    const fault = this.#fault(key);
    return fault === undefined
      ? this.#take(key)
      : this.#wait({ key, signal: call.signal, fault, isLimited: false });
  }

  /** Refuses the waiting requests with UNAVAILABLE, because the server stops; those of {@link awaitPlace} wait until their signal aborts. */
  close(): void {
    for (const waiting of this.#waiting) {
      if (!waiting.isLimited) continue;
      waiting.refuse(new A2AError("UNAVAILABLE", undefined, { retryAfter: RETRY_SECONDS }));
    }
  }

  #isFull(key: string): boolean {
    const { total, each } = this.#options;
    return this.size >= total || this.#held.of(key) >= each;
  }

  #fault(key: string): A2AError | undefined {
    const { what, total, each } = this.#options;
    const retry = { retryAfter: RETRY_SECONDS };
    if (this.#held.of(key) >= each) {
      return new A2AError("RATE_LIMITED", `There are ${each} ${what} for this caller, the maximum`, retry);
    }
    if (this.size >= total) {
      return new A2AError("UNAVAILABLE", `There are ${total} ${what}, the maximum`, retry);
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
      // Thousands may wait for the share of one caller, and errors take long to create.
      if (this.#isFull(waiting.key)) continue;
      waiting.admit();
      return;
    }
  }

  #wait({ key, signal, fault, isLimited }: Wait): Promise<Leave> {
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
      const waiting: Waiting = { key, isLimited, admit, refuse };
      const time = timeoutOf(this.#options.queueTime * 1000);
      const timer = isLimited ? setTimeout(giveUp, time) : undefined;
      this.#waiting.add(waiting);
      if (signal.aborted) giveUp();
      else signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}

/** The key of the last anonymous caller. It is kept, because a newly concatenated string would have to be hashed again in each request. */
let anonymous = { network: "", key: "address " };

/** The key of a caller in limits: its principal, or the network of its address if it is anonymous. */
export function callerKey({ principal, address }: Pick<CallContext, "principal" | "address">): string {
  if (principal.id !== "") return `principal ${principal.id}`;
  const network = networkOf(address);
  if (network !== anonymous.network) anonymous = { network, key: `address ${network}` };
  return anonymous.key;
}
