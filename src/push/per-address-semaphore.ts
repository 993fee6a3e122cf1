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

/**
 * Size in bytes up to which a notification does not count toward the limit on bytes. The limit on requests bounds the memory of such
 * notifications.
 */
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

  /** Bytes that notifications hold; those of up to {@link SMALL_BYTES} hold none. */
  get bytes(): number {
    return this.#bytes.used;
  }

  /** Takes a permit without waiting; undefined when the request has to wait. */
  tryAcquire({ owner, address, bytes }: Destination): Release | undefined {
    const ofAddress = this.#of(address).tryAcquire(owner);
    const ofBytes = ofAddress && (bytes > SMALL_BYTES ? this.#bytes.tryAcquire(owner, bytes) : free);
    const ofAll = ofBytes && this.#all.tryAcquire(owner);
    const permits = [ofAddress, ofBytes, ofAll].filter((permit) => permit !== undefined);
    if (ofAll !== undefined) return () => this.#release(address, permits);
    this.#release(address, permits);
    return undefined;
  }

  /**
   * Waits for a permit.
   * @param admit called with the permit at most once, before this function returns if the request need not wait
   * @returns a function that gives up the wait; it has no effect after `admit` was called
   */
  enqueue({ owner, address, bytes }: Destination, admit: (permit: Release) => void): () => void {
    const isLarge = bytes > SMALL_BYTES;
    const needed = isLarge ? 3 : 2;
    const permits: Release[] = [];
    let cancel: (() => void) | undefined;
    const next = (): void => {
      const held = permits.length;
      if (held === needed) {
        admit(() => this.#release(address, permits));
        return;
      }
      const others = held === 1 && isLarge ? this.#bytes : this.#all;
      const semaphore = held === 0 ? this.#of(address) : others;
      const giveUp = semaphore.enqueue(owner, semaphore === this.#bytes ? bytes : 1, (permit) => {
        permits.push(permit);
        next();
      });
      if (permits.length === held) cancel = giveUp;
    };
    next();
    return () => {
      if (permits.length === needed) return;
      cancel?.();
      this.#release(address, permits);
    };
  }

  #of(address: string): FairSemaphore {
    const known = this.#addresses.get(address);
    if (known !== undefined) return known;
    const added = new FairSemaphore(this.#perAddress);
    this.#addresses.set(address, added);
    return added;
  }

  /** Releases permits, the last one first. */
  #release(address: string, permits: readonly Release[]): void {
    for (const permit of [...permits].reverse()) permit();
    if (this.#addresses.get(address)?.isIdle) this.#addresses.delete(address);
  }
}

/** In place of a permit for the bytes of a small notification. */
const free: Release = () => undefined;
