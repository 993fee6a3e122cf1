import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";

/** Maximum bytes of requests whose callers are not known yet. */
export interface ReceivedBytesOptions {
  /** For all addresses together. */
  readonly total: number;
  /** For one address. */
  readonly each: number;
}

/** The counted bytes of one request. */
export interface HeldBytes {
  /**
   * Counts further bytes.
   * @throws A2AError RATE_LIMITED when the address has too many bytes, UNAVAILABLE when all addresses together have
   */
  add(bytes: number): void;
  /** Subtracts all counted bytes. Calling it again has no effect. */
  release(): void;
}

/** A request with counted bytes. */
interface Held {
  readonly address: string;
  /** Called when the request is refused in favor of others; undefined if it must not be. */
  readonly giveUp: ((error: A2AError) => void) | undefined;
  bytes: number;
}

/** Requests of one address. */
class Address {
  readonly requests = new Set<Held>();
  bytes = 0;
}

/**
 * Counts the bytes of requests that are being received, or whose callers are being identified, by address. The only request of an address,
 * or of the server, is not refused for that limit, so that a single large body is possible. When the limit for all addresses is reached,
 * the address with the most bytes loses its largest request, so that callers with small requests are answered while others send large
 * ones. The request that grows is refused instead if it belongs to that address, or if none of the address's requests may be dropped.
 */
export class ReceivedBytes {
  readonly #options: ReceivedBytesOptions;
  readonly #addresses = new Map<string, Address>();
  #size = 0;

  constructor(options: ReceivedBytesOptions) {
    this.#options = options;
  }

  /** Number of counted bytes. */
  get size(): number {
    return this.#size;
  }

  /**
   * Starts to count the bytes of a request.
   * @param address of the caller, as `networkOf` returns it
   * @param giveUp called when the request is refused in favor of others; without it the request is never refused so
   */
  hold(address: string, giveUp?: (error: A2AError) => void): HeldBytes {
    const held: Held = { address, giveUp, bytes: 0 };
    return { add: (bytes) => this.#add(held, bytes), release: () => this.#remove(held) };
  }

  #add(held: Held, bytes: number): void {
    const { total, each } = this.#options;
    const address = this.#addresses.get(held.address) ?? new Address();
    if (address.bytes > held.bytes && address.bytes + bytes > each) {
      throw refusal("RATE_LIMITED", `Requests from this address have reached the limit of ${each} bytes`);
    }
    while (this.#size > held.bytes && this.#size + bytes > total) this.#makeRoom(address);
    this.#addresses.set(held.address, address);
    address.requests.add(held);
    this.#count(address, held, bytes);
  }

  /**
   * Refuses the largest request of the address with the most bytes.
   * @throws A2AError UNAVAILABLE if that is the asking address, or none of its requests may be refused
   */
  #makeRoom(asking: Address): void {
    const { total } = this.#options;
    const full = () =>
      refusal("UNAVAILABLE", `Requests that are being received have reached the limit of ${total} bytes`);
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
