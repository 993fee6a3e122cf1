import { FairQueue } from "../collections/fair-queue.js";
import { KeyedCounter } from "../collections/keyed-counter.js";

/** Releases permits. Calling it again has no effect. */
export type Release = () => void;

/** The default share of the permits that only owners without a permit can get. */
const RESERVE = 1 / 4;

interface Waiting {
  readonly weight: number;
  readonly admit: () => void;
}

/**
 * A semaphore that is fair between owners. The requests of one owner are served in their order. An owner that already holds a permit
 * cannot get the reserve, a quarter of the permits by default, so the requests of one owner never take all permits from the others. An
 * owner without a permit gets what it asks for as soon as one permit is free, even if it asks for more than there are: the limit is
 * exceeded by less than one request. With one owner and no reserve, this is a first-come-first-served semaphore.
 */
export class FairSemaphore {
  readonly #permits: number;
  readonly #reserved: number;
  readonly #held = new KeyedCounter();
  readonly #waiting = new FairQueue<Waiting>();

  /**
   * @param permits number of permits, in any unit: requests, bytes
   * @param reserve share of the permits that only owners without a permit can get
   */
  constructor(permits: number, reserve = RESERVE) {
    this.#permits = permits;
    this.#reserved = Math.floor(permits * reserve);
  }

  /** Whether no permit is held and no request waits. */
  get isIdle(): boolean {
    return this.used === 0 && this.#waiting.size === 0;
  }

  /** How many permits are held. */
  get used(): number {
    return this.#held.total;
  }

  /**
   * Takes permits if they are free now.
   * @param weight number of permits
   * @returns undefined if they are not
   */
  tryAcquire(owner: string, weight = 1): Release | undefined {
    if (this.#waiting.has(owner) || !this.#hasRoomFor(owner, weight)) return undefined;
    return this.#take(owner, weight);
  }

  /**
   * Waits for permits.
   * @param signal ends the wait; without it, the wait lasts until there are permits
   * @param weight number of permits
   * @returns undefined when the signal aborted first
   */
  async acquire(owner: string, signal: AbortSignal | undefined, weight = 1): Promise<Release | undefined> {
    if (signal?.aborted) return undefined;
    const release = this.tryAcquire(owner, weight);
    if (release !== undefined) return release;
    return await new Promise((resolve) => {
      const admit = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve(this.#take(owner, weight));
      };
      const giveUp = () => {
        this.#waiting.delete(owner, waiting);
        resolve(undefined);
        // The next request of this owner may be smaller.
        this.#admit();
      };
      const waiting: Waiting = { weight, admit };
      this.#waiting.add(owner, waiting);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  #hasRoomFor(owner: string, weight: number): boolean {
    if (this.#held.of(owner) === 0) return this.used < this.#permits;
    return this.used + weight <= this.#permits - this.#reserved;
  }

  #take(owner: string, weight: number): Release {
    let isHeld = true;
    this.#held.add(owner, weight);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#held.add(owner, -weight);
      this.#admit();
    };
  }

  /** Skips at most as many owners as hold permits: an owner without one has room whenever a permit is free. */
  #admit(): void {
    while (this.used < this.#permits) {
      const next = this.#waiting.take((owner, { weight }) => this.#hasRoomFor(owner, weight));
      if (next === undefined) return;
      next.admit();
    }
  }
}
