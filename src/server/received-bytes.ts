import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";

/** How many bytes of requests may be held at the same time before their callers are known. */
export interface ReceivedBytesOptions {
  /** From all addresses together. */
  readonly total: number;
  /** From one address. */
  readonly each: number;
}

/** What one request holds. */
export interface HeldBytes {
  /**
   * Counts further bytes.
   * @throws A2AError RATE_LIMITED when the address holds too many, UNAVAILABLE when all together do
   */
  add(bytes: number): void;
  /** Takes back all that was counted. Calling it again has no effect. */
  release(): void;
}

/** A request that holds bytes. */
interface Held {
  readonly address: string;
  /** Called when it has to give way to others; absent when it cannot. */
  readonly giveUp: ((error: A2AError) => void) | undefined;
  bytes: number;
}

/** Requests of one address. */
class Address {
  readonly requests = new Set<Held>();
  bytes = 0;
}

/**
 * Counts the bytes of requests from their first byte until their caller is known, by the address that they come from. A body that is
 * alone always has room, so that the bounds never stand in the way of a single large one. Where the bound on all is reached, the
 * address with the most bytes gives way: callers with small requests are answered while others fill the server with large ones.
 */
export class ReceivedBytes {
  readonly #options: ReceivedBytesOptions;
  readonly #addresses = new Map<string, Address>();
  #size = 0;

  constructor(options: ReceivedBytesOptions) {
    this.#options = options;
  }

  /** How many bytes are held. */
  get size(): number {
    return this.#size;
  }

  /**
   * Begins to count the bytes of a request.
   * @param address as `networkOf` gives it
   * @param giveUp called when the request has to give way to others; without it, it never does
   */
  hold(address: string, giveUp?: (error: A2AError) => void): HeldBytes {
    const held: Held = { address, giveUp, bytes: 0 };
    return { add: (bytes) => this.#add(held, bytes), release: () => this.#remove(held) };
  }

  #add(held: Held, bytes: number): void {
    const { total, each } = this.#options;
    const address = this.#addresses.get(held.address) ?? new Address();
    if (address.bytes > held.bytes && address.bytes + bytes > each) {
      throw refusal("RATE_LIMITED", `Requests from this address hold ${each} bytes, as many as they may`);
    }
    while (this.#size > held.bytes && this.#size + bytes > total) this.#makeRoom(address);
    this.#addresses.set(held.address, address);
    address.requests.add(held);
    this.#count(address, held, bytes);
  }

  /** Has a request of the address with the most bytes given up. */
  #makeRoom(asking: Address): void {
    const { total } = this.#options;
    const full = () =>
      refusal("UNAVAILABLE", `Requests that are being received hold ${total} bytes, as many as they may`);
    const largest = largestOf(this.#addresses.values());
    const victim = largestOf([...(largest?.requests ?? [])].filter(({ giveUp }) => giveUp !== undefined));
    if (victim === undefined || largest === asking) throw full();
    this.#remove(victim);
    victim.giveUp?.(full());
  }

  #remove(held: Held): void {
    const address = this.#addresses.get(held.address);
    if (!address?.requests.delete(held)) return;
    this.#count(address, held, -held.bytes);
    if (address.requests.size === 0) this.#addresses.delete(held.address);
  }

  #count(address: Address, held: Held, bytes: number): void {
    held.bytes += bytes;
    address.bytes += bytes;
    this.#size += bytes;
  }
}

function largestOf<Item extends { readonly bytes: number }>(items: Iterable<Item>): Item | undefined {
  let largest: Item | undefined;
  for (const item of items) if (largest === undefined || item.bytes > largest.bytes) largest = item;
  return largest;
}

function refusal(code: "RATE_LIMITED" | "UNAVAILABLE", message: string): A2AError {
  return new A2AError(code, message, { retryAfter: RETRY_SECONDS });
}
