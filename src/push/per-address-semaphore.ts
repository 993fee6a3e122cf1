import { FairSemaphore, type Release } from "./fair-semaphore.js";

/** For whom a permit is, where it leads, and how much is sent. */
export interface Destination {
  readonly owner: string;
  /** IP address, or network, of the receiver. */
  readonly address: string;
  /** Bytes of the event. */
  readonly bytes: number;
}

/** What may be under way. */
export interface RequestBounds {
  /** Requests. */
  readonly requests: number;
  /** Requests to one address. */
  readonly perAddress: number;
  /** Bytes of events that are not small. */
  readonly bytes: number;
}

/** Bytes of an event that is small: its memory is bounded by the number of requests. */
export const SMALL_BYTES = 16 * 1024;

/**
 * Permits for requests under way: so many in all, so many for one address, so many bytes, and of each a fair share for each owner.
 * Who waits for an address holds no permit that another address could use, and small events never wait for large ones.
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

  /** Bytes of the events under way, small ones left out. */
  get bytes(): number {
    return this.#bytes.used;
  }

  /** Takes a permit if there is one now; undefined if not. */
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
    const made = new FairSemaphore(this.#perAddress);
    this.#addresses.set(address, made);
    return made;
  }

  /** All permits, or none. */
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

/** The permit of a small event for its bytes. */
const free: Release = () => undefined;
