import type { Clock } from "../async/clock.js";
import type { Release } from "./fair-semaphore.js";
import { type Destination, PerAddressSemaphore } from "./per-address-semaphore.js";

/** A receiver that takes longer than this is slow, in milliseconds. */
const SLOW_MS = 1000;

/** One address gets at most this part of all requests, in each of the two queues. */
const ADDRESS_PART = 1 / 8;

/** Slow receivers that are remembered. */
const MAX_SLOW = 10_000;

/** A request that is to be sent. */
export interface QueuedRequest extends Destination {
  /** Origin of the receiver's URL. */
  readonly origin: string;
  /** The last attempt failed. */
  readonly isFailing: boolean;
}

/** What may be under way in both queues together. */
export interface QueueBounds {
  /** Requests at a time. */
  readonly concurrency: number;
  /** Bytes of their events, small ones left out. */
  readonly maxBytes: number;
}

interface Sending<Outcome> {
  readonly receiver: string;
  readonly signal: AbortSignal;
  readonly send: (signal: AbortSignal) => Promise<Outcome>;
}

/** Why a request ends that is slow while there is no room for it among the slow ones. It is sent again. */
class TooSlow extends Error {
  override readonly name = "TooSlow";
}

/**
 * Bounds the requests under way. There are two queues with half of the places and bytes each: one for receivers that answer soon, and one
 * for those that are slow or failing. No request keeps a place in the fast queue for longer than a second. Then it moves to the
 * slow one or, if that has no place, is aborted and waits there to be sent again. So slow receivers, however many, delay others
 * by a second at most.
 */
export class DeliveryQueue {
  readonly #fast: PerAddressSemaphore;
  readonly #slow: PerAddressSemaphore;
  readonly #clock: Clock;
  /** Receivers whose last answer took long, by owner and origin; the one that was seen last is last. */
  readonly #slowReceivers = new Set<string>();

  constructor({ concurrency, maxBytes }: QueueBounds, clock: Clock) {
    const bounds = {
      requests: Math.ceil(concurrency / 2),
      perAddress: Math.ceil(concurrency * ADDRESS_PART),
      bytes: Math.ceil(maxBytes / 2),
    };
    this.#fast = new PerAddressSemaphore(bounds);
    this.#slow = new PerAddressSemaphore(bounds);
    this.#clock = clock;
  }

  /** Bytes of the events under way, small ones left out. */
  get bytes(): number {
    return this.#fast.bytes + this.#slow.bytes;
  }

  /**
   * Sends a request when its turn has come.
   * @param send ends when its signal aborts; called again when the first request was aborted because it was slow
   * @returns undefined when the signal aborted before the turn came
   */
  async run<Outcome>(
    request: QueuedRequest,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome | undefined> {
    const receiver = `${request.origin} ${request.owner}`;
    if (!request.isFailing && !this.#slowReceivers.has(receiver)) {
      const permit = await this.#fast.acquire(request, signal);
      if (permit === undefined) return undefined;
      // It may have turned out to be slow while this request waited.
      if (this.#slowReceivers.has(receiver)) permit();
      else {
        const outcome = await this.#sendFast(request, permit, { receiver, signal, send });
        if (outcome !== undefined) return outcome.value;
      }
    }
    const permit = await this.#slow.acquire(request, signal);
    if (permit === undefined) return undefined;
    const begun = this.#clock.now();
    try {
      return await send(signal);
    } finally {
      permit();
      if (this.#clock.now() - begun < SLOW_MS) this.#slowReceivers.delete(receiver);
      else this.#remember(receiver);
    }
  }

  /** Undefined when the request was aborted because it was slow. */
  async #sendFast<Outcome>(
    request: QueuedRequest,
    permit: Release,
    { receiver, signal, send }: Sending<Outcome>,
  ): Promise<{ readonly value: Outcome } | undefined> {
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    let held = permit;
    let isAborted = false;
    const cancel = this.#clock.schedule(SLOW_MS, () => {
      this.#remember(receiver);
      const slow = this.#slow.tryAcquire(request);
      if (slow === undefined) {
        isAborted = true;
        controller.abort(new TooSlow("The receiver is slow, and there is no place for slow ones"));
      } else {
        held();
        held = slow;
      }
    });
    try {
      const value = await send(controller.signal);
      return isAborted ? undefined : { value };
    } finally {
      cancel();
      signal.removeEventListener("abort", abort);
      held();
    }
  }

  #remember(receiver: string): void {
    this.#slowReceivers.delete(receiver);
    this.#slowReceivers.add(receiver);
    const [oldest] = this.#slowReceivers;
    if (oldest !== undefined && this.#slowReceivers.size > MAX_SLOW) this.#slowReceivers.delete(oldest);
  }
}
