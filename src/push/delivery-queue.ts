import type { Clock } from "../async/clock.js";
import type { Release } from "../async/fair-semaphore.js";
import { BoundedMap } from "../collections/bounded-map.js";
import { type Destination, PerAddressSemaphore } from "./per-address-semaphore.js";

/** Milliseconds after which a receiver counts as slow. */
const SLOW_MS = 1000;

/** Maximum share of all concurrent requests that one address gets in each of the two queues, before rounding up. */
const ADDRESS_SHARE = 1 / 8;

/** Maximum number of slow receivers to remember. */
const MAX_SLOW = 10_000;

/** A request that waits to be sent. */
export interface QueuedRequest extends Destination {
  /** Origin of the receiver's URL. */
  readonly origin: string;
  /** Whether the last attempt to call the webhook failed. If so, the request uses the slow queue. */
  readonly isFailing: boolean;
}

/** Limits that the two queues share. */
export interface QueueBounds {
  /** Concurrent requests. */
  readonly concurrency: number;
  /** Bytes of the notifications in these requests; those of up to 16 KiB do not count. */
  readonly maxBytes: number;
}

/** Permission to send a request now. Call `send` or `leave`, because other requests wait for the end of this one. */
export interface DeliveryTurn {
  /**
   * Sends the request. Call it at most once.
   * @param signal aborts the request
   * @param send makes the request, and settles when its signal aborts
   * @returns what `send` returns; undefined when the request was aborted for being slow, and needs another turn
   * @throws what `send` throws, also after such an abort
   */
  send<Outcome>(
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome | undefined>;
  /** Leaves the turn to the next request. Do not call it while `send` is running; after that, it has no effect. */
  leave(): void;
}

/** A request and its permit. */
interface Permitted {
  readonly request: QueuedRequest;
  readonly permit: Release;
}

/** The reason for the abort of a slow request for which the slow queue has no room. */
class TooSlow extends Error {
  override readonly name = "TooSlow";
}

/**
 * Bounds the concurrent requests to webhooks. There are two queues, each with half of the requests and bytes: one for receivers that
 * answer quickly, one for receivers that are slow or failing. A request in the fast queue that takes more than a second moves to the slow
 * queue; if the slow queue has no room for it, the request is aborted, and must be sent again. Requests of the same owner to the same
 * origin that get their turn later use the slow queue, until one of them ends within a second without being aborted. Only the 10,000 most
 * recently slow receivers are remembered.
 */
export class DeliveryQueue {
  readonly #fast: PerAddressSemaphore;
  readonly #slow: PerAddressSemaphore;
  readonly #clock: Clock;
  /** Receivers that count as slow, by {@link receiverOf}. */
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

  /**
   * Bytes of the notifications that are being sent, or that wait only for the limit on all concurrent requests of their queue.
   * Notifications of up to 16 KiB do not count.
   */
  get bytes(): number {
    return this.#fast.bytes + this.#slow.bytes;
  }

  /** Takes the turn of a request without waiting; undefined when the request has to wait. */
  tryTurn(request: QueuedRequest): DeliveryTurn | undefined {
    const isSlow = this.#isSlow(request);
    const permit = (isSlow ? this.#slow : this.#fast).tryAcquire(request);
    return permit && (isSlow ? this.#slowTurn(request, permit) : this.#fastTurn(request, permit));
  }

  /**
   * Waits for the turn of a request.
   * @param ready called with the turn at most once, before this function returns if it comes now
   * @returns a function that gives up the wait; it has no effect after `ready` was called
   */
  enqueue(request: QueuedRequest, ready: (turn: DeliveryTurn) => void): () => void {
    const enqueueSlow = () => this.#slow.enqueue(request, (permit) => ready(this.#slowTurn(request, permit)));
    if (this.#isSlow(request)) return enqueueSlow();
    let giveUpSlow: (() => void) | undefined;
    const giveUpFast = this.#fast.enqueue(request, (permit) => {
      // Another request may have found the receiver to be slow while this one waited.
      if (!this.#isSlow(request)) return ready(this.#fastTurn(request, permit));
      permit();
      giveUpSlow = enqueueSlow();
    });
    return () => {
      giveUpFast();
      giveUpSlow?.();
    };
  }

  #isSlow(request: QueuedRequest): boolean {
    return request.isFailing || this.#slowReceivers.has(receiverOf(request));
  }

  #slowTurn(request: QueuedRequest, permit: Release): DeliveryTurn {
    return {
      send: (signal, send) => this.#sendSlow({ request, permit }, signal, send),
      leave: permit,
    };
  }

  #fastTurn(request: QueuedRequest, permit: Release): DeliveryTurn {
    return { send: (signal, send) => this.#sendFast({ request, permit }, signal, send), leave: permit };
  }

  async #sendSlow<Outcome>(
    { request, permit }: Permitted,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome> {
    const started = this.#clock.now();
    try {
      return await send(signal);
    } finally {
      permit();
      if (this.#clock.now() - started >= SLOW_MS) this.#slowReceivers.set(receiverOf(request), true);
      // An aborted request does not show that the receiver is fast.
      else if (!signal.aborted) this.#slowReceivers.delete(receiverOf(request));
    }
  }

  /** Returns undefined when the request was aborted for being slow. */
  async #sendFast<Outcome>(
    { request, permit }: Permitted,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<Outcome | undefined> {
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    let held = permit;
    let isAborted = false;
    const cancel = this.#clock.schedule(SLOW_MS, () => {
      this.#slowReceivers.set(receiverOf(request), true);
      const slow = this.#slow.tryAcquire(request);
      if (slow === undefined) {
        isAborted = true;
        controller.abort(new TooSlow("The receiver is slow, and the slow queue has no room for the request"));
      } else {
        held();
        held = slow;
      }
    });
    try {
      const value = await send(controller.signal);
      return isAborted ? undefined : value;
    } finally {
      cancel();
      signal.removeEventListener("abort", abort);
      held();
    }
  }
}

/** Key of a receiver: origin and owner, so that slow requests of one owner do not move those of another to the slow queue. */
function receiverOf({ origin, owner }: QueuedRequest): string {
  return `${origin} ${owner}`;
}
