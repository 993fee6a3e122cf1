import { FairSemaphore, type Release } from "../async/fair-semaphore.js";

/** The owner, receiver and size of a request. */
export interface Destination {
  readonly owner: string;
  /** IP address or network of the receiver; its host name when that was not resolved. */
  readonly address: string;
  /** Approximate size of the notification in bytes. */
  readonly bytes: number;
}

/** Limits on concurrent requests. */
export interface RequestBounds {
  /** Requests in total. */
  readonly requests: number;
  /** Requests to one address. */
  readonly perAddress: number;
  /** Bytes of notifications larger than {@link SMALL_BYTES}. */
  readonly bytes: number;
}

/** Largest notification that does not count towards the limit on bytes. The limit on requests bounds the memory of these. */
export const SMALL_BYTES = 16 * 1024;

/**
 * Permits for concurrent requests. They are limited in total, per address and by bytes, and each limit is shared fairly between
 * owners. A request that waits for its address holds no other permit, and a small notification needs no permit for its bytes.
 */
export class PerAddressSemaphore {
  readonly #all: FairSemaphore;
  readonly #bytes: FairSemaphore;
  readonly #perAddress: number;
  readonly #addresses = new Map<string, FairSemaphore>();

  constructor({ requests, perAddress, bytes }: RequestBounds) {
    this.#all = new FairSemaphore(requests);
    this.#bytes = new FairSemaphore(bytes);
    this.#perAddress = perAddress;
  }

  /** Bytes of the notifications being sent; those of up to {@link SMALL_BYTES} do not count. */
  get bytes(): number {
    return this.#bytes.used;
  }

  /** Takes a permit if one is free now; undefined if not. */
  tryAcquire({ owner, address, bytes }: Destination): Release | undefined {
    const ofAddress = this.#of(address).tryAcquire(owner);
    const ofBytes = ofAddress && (bytes > SMALL_BYTES ? this.#bytes.tryAcquire(owner, bytes) : free);
    const ofAll = ofBytes && this.#all.tryAcquire(owner);
    return this.#together(address, [ofAddress, ofBytes, ofAll]);
  }

  /**
   * Waits for a permit.
   * @returns undefined when the signal aborted first
   */
  async acquire({ owner, address, bytes }: Destination, signal: AbortSignal): Promise<Release | undefined> {
    const ofAddress = await this.#of(address).acquire(owner, signal);
    const ofBytes =
      ofAddress && (bytes > SMALL_BYTES ? await this.#bytes.acquire(owner, signal, bytes) : free);
    const ofAll = ofBytes && (await this.#all.acquire(owner, signal));
    return this.#together(address, [ofAddress, ofBytes, ofAll]);
  }

  #of(address: string): FairSemaphore {
    const known = this.#addresses.get(address);
    if (known !== undefined) return known;
    const added = new FairSemaphore(this.#perAddress);
    this.#addresses.set(address, added);
    return added;
  }

  /** Combines the permits into one, or releases them if one is missing. */
  #together(address: string, permits: readonly (Release | undefined)[]): Release | undefined {
    const release = () => {
      for (const permit of [...permits].reverse()) permit?.();
      if (this.#addresses.get(address)?.isIdle) this.#addresses.delete(address);
    };
    if (permits.every((permit) => permit !== undefined)) return release;
    release();
    return undefined;
  }
}

/** Small notifications need no permit for their bytes. */
const free: Release = () => undefined;
