import { FairSemaphore, type Release } from "./fair-semaphore.js";

/** For whom a permit is, and where it leads. */
export interface Destination {
  readonly owner: string;
  /** IP address, or network, of the receiver. */
  readonly address: string;
}

/**
 * Permits for requests under way: so many in all, so many for one address, and at both a fair share for each owner. Who waits for
 * an address holds no permit that another address could use.
 */
export class PerAddressSemaphore {
  readonly #all: FairSemaphore;
  readonly #perAddress: number;
  readonly #addresses = new Map<string, FairSemaphore>();

  constructor(permits: number, perAddress: number) {
    this.#all = new FairSemaphore(permits);
    this.#perAddress = perAddress;
  }

  /** Takes a permit if there is one now; undefined if not. */
  tryAcquire(destination: Destination): Release | undefined {
    const { owner, address } = destination;
    const ofAddress = this.#of(address).tryAcquire(owner);
    const ofAll = ofAddress && this.#all.tryAcquire(owner);
    return this.#both(address, ofAddress, ofAll);
  }

  /**
   * Waits for a permit.
   * @returns undefined when the signal aborted first
   */
  async acquire({ owner, address }: Destination, signal: AbortSignal): Promise<Release | undefined> {
    const ofAddress = await this.#of(address).acquire(owner, signal);
    const ofAll = ofAddress && (await this.#all.acquire(owner, signal));
    return this.#both(address, ofAddress, ofAll);
  }

  #of(address: string): FairSemaphore {
    const known = this.#addresses.get(address);
    if (known !== undefined) return known;
    const made = new FairSemaphore(this.#perAddress);
    this.#addresses.set(address, made);
    return made;
  }

  /** One permit of two, or neither. */
  #both(address: string, one: Release | undefined, other: Release | undefined): Release | undefined {
    const release = () => {
      other?.();
      one?.();
      if (this.#addresses.get(address)?.isIdle) this.#addresses.delete(address);
    };
    if (one !== undefined && other !== undefined) return release;
    release();
    return undefined;
  }
}
