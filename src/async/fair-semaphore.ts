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
 * cannot get the reserve, by default a quarter of the permits, rounded down: it is left to the others. An owner without a permit gets what
 * it asks for as soon as one permit is free, even if it asks for more than there are: the limit is exceeded by less than one request. With
 * one owner and no reserve, this is a first-come-first-served semaphore.
 */
export class FairSemaphore {
  readonly #permits: number;
  readonly #reserved: number;
  readonly #held = new KeyedCounter();
  readonly #waiting = new FairQueue<Waiting>();
  #isAdmitting = false;

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
   * @returns undefined if they are not, or if an earlier request of the owner waits
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
      const giveUp = () => {
        cancel();
        resolve(undefined);
      };
      const admit = (admitted: Release) => {
        signal?.removeEventListener("abort", giveUp);
        resolve(admitted);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      const cancel = this.enqueue(owner, weight, admit);
    });
  }

  /**
   * Takes permits as soon as they are free. A request that waits needs no promise and no signal, so that many can wait.
   * @param weight number of permits
   * @param admit called once with the permits, before this function returns if they are free now
   * @returns a function that gives up the wait; it has no effect after `admit` was called
   */
  enqueue(owner: string, weight: number, admit: (release: Release) => void): () => void {
    const release = this.tryAcquire(owner, weight);
    if (release !== undefined) {
      admit(release);
      return () => undefined;
    }
    const waiting: Waiting = { weight, admit: () => admit(this.#take(owner, weight)) };
    this.#waiting.add(owner, waiting);
    return () => {
      this.#waiting.delete(owner, waiting);
      // The next request of this owner may be smaller.
      this.#admit();
    };
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

  /**
   * Admits requests while there is room. Skips at most as many owners as hold permits: an owner without one has room whenever a permit
   * is free. A request that releases its permits as soon as it is admitted makes room for the next turn of the loop: a call for each would
   * exhaust the stack when many do.
   */
  #admit(): void {
    if (this.#isAdmitting) return;
    this.#isAdmitting = true;
    try {
      while (this.used < this.#permits) {
        const next = this.#waiting.take((owner, { weight }) => this.#hasRoomFor(owner, weight));
        if (next === undefined) return;
        next.admit();
      }
    } finally {
      this.#isAdmitting = false;
    }
  }
}
