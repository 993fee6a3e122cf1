import type { Clock } from "../async/clock.js";
import type { Release } from "../async/fair-semaphore.js";
import { BoundedMap } from "../collections/bounded-map.js";
import { type Destination, PerAddressSemaphore } from "./per-address-semaphore.js";

/** Milliseconds after which a receiver counts as slow. */
const SLOW_MS = 1000;

/** Maximum share of all concurrent requests that one address gets in each of the two queues. */
const ADDRESS_SHARE = 1 / 8;

/** Maximum number of slow receivers to remember. */
const MAX_SLOW = 10_000;

/** A request that waits to be sent. */
export interface QueuedRequest extends Destination {
  /** Origin of the receiver's URL. */
  readonly origin: string;
  /** Whether the last attempt failed. */
  readonly isFailing: boolean;
}

/** Limits that the two queues share. */
export interface QueueBounds {
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Bytes of the notifications in these requests; those of up to 16 KiB do not count. */
  readonly maxBytes: number;
}

interface Sending<Outcome> {
  readonly receiver: string;
  readonly signal: AbortSignal;
  readonly send: (signal: AbortSignal) => Promise<Outcome>;
}

/** Aborts a slow request when the slow queue has no room for it. The request is sent again later. */
class TooSlow extends Error {
  override readonly name = "TooSlow";
}

/**
 * Bounds the concurrent requests to webhooks. There are two queues, each with half of the requests and bytes: one for receivers that
 * answer quickly, one for receivers that are slow or failing. A request in the fast queue that takes more than a second moves to the
 * slow queue; if the slow queue is full, the request is aborted and sent again later from there. A request therefore occupies the fast
 * queue for at most a second. Later requests to the same receiver use the slow queue, until one of them ends within a second.
 */
export class DeliveryQueue {
  readonly #fast: PerAddressSemaphore;
  readonly #slow: PerAddressSemaphore;
  readonly #clock: Clock;
  /** Receivers whose last response was slow, by owner and origin, the most recent last. */
  readonly #slowReceivers = new BoundedMap<string, true>(MAX_SLOW);

  constructor({ concurrency, maxBytes }: QueueBounds, clock: Clock) {
    const bounds = {
      requests: Math.ceil(concurrency / 2),
      perAddress: Math.ceil(concurrency * ADDRESS_SHARE),
      bytes: Math.ceil(maxBytes / 2),
    };
    this.#fast = new PerAddressSemaphore(bounds);
    this.#slow = new PerAddressSemaphore(bounds);
    this.#clock = clock;
  }

  /** Bytes of the notifications being sent; those of up to 16 KiB do not count. */
  get bytes(): number {
    return this.#fast.bytes + this.#slow.bytes;
  }

  /**
   * Sends a request when it gets a permit.
   * @param send must end when its signal aborts; called a second time when the first call was aborted for being slow
   * @returns undefined when the signal aborted before the request got a permit
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
      // Another request may have found the receiver to be slow while this one waited.
      if (this.#slowReceivers.has(receiver)) permit();
      else {
        const outcome = await this.#sendFast(request, permit, { receiver, signal, send });
        if (outcome !== undefined) return outcome.value;
      }
    }
    const permit = await this.#slow.acquire(request, signal);
    if (permit === undefined) return undefined;
    const started = this.#clock.now();
    try {
      return await send(signal);
    } finally {
      permit();
      if (this.#clock.now() - started < SLOW_MS) this.#slowReceivers.delete(receiver);
      else this.#slowReceivers.set(receiver, true);
    }
  }

  /** Returns undefined when the request was aborted for being slow. */
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
      this.#slowReceivers.set(receiver, true);
      const slow = this.#slow.tryAcquire(request);
      if (slow === undefined) {
        isAborted = true;
        controller.abort(new TooSlow("The receiver is slow, and the slow queue is full"));
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
}
