/** Releases a permit. Calling it again has no effect. */
export type Release = () => void;

/** The share of the permits that only owners without a permit can get. */
const RESERVE = 1 / 4;

interface Waiting {
  readonly weight: number;
  readonly admit: () => void;
}

/**
 * A semaphore that is fair between owners. An owner that already holds a permit cannot get the last quarter of them, so one owner can
 * never hold them all. An owner without a permit gets what it asks for as soon as one permit is free, even if it asks for more than
 * there are: the limit is exceeded by less than one request.
 */
export class FairSemaphore {
  readonly #permits: number;
  readonly #reserved: number;
  #used = 0;
  readonly #held = new Map<string, number>();
  /** Waiting requests by owner. The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  constructor(permits: number) {
    this.#permits = permits;
    this.#reserved = Math.floor(permits * RESERVE);
  }

  /** Whether no permit is held and no request waits. */
  get isIdle(): boolean {
    return this.#used === 0 && this.#waiting.size === 0;
  }

  /** How many permits are held. */
  get used(): number {
    return this.#used;
  }

  /**
   * Takes permits if they are free now.
   * @param weight number of permits
   * @returns undefined if they are not
   */
  tryAcquire(owner: string, weight = 1): Release | undefined {
    return this.#hasRoomFor(owner, weight) ? this.#take(owner, weight) : undefined;
  }

  /**
   * Waits for permits.
   * @param weight number of permits
   * @returns undefined when the signal aborted first
   */
  async acquire(owner: string, signal: AbortSignal, weight = 1): Promise<Release | undefined> {
    if (signal.aborted) return undefined;
    if (this.#hasRoomFor(owner, weight)) return this.#take(owner, weight);
    return await new Promise((resolve) => {
      const queue = this.#waiting.get(owner) ?? new Set();
      this.#waiting.set(owner, queue);
      const leave = () => {
        signal.removeEventListener("abort", giveUp);
        queue.delete(waiting);
        if (queue.size === 0 && this.#waiting.get(owner) === queue) this.#waiting.delete(owner);
      };
      const admit = () => {
        leave();
        resolve(this.#take(owner, weight));
      };
      const giveUp = () => {
        leave();
        resolve(undefined);
      };
      const waiting: Waiting = { weight, admit };
      queue.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #hasRoomFor(owner: string, weight: number): boolean {
    if (!this.#held.has(owner)) return this.#used < this.#permits;
    return this.#used + weight <= this.#permits - this.#reserved;
  }

  #take(owner: string, weight: number): Release {
    let isHeld = true;
    this.#used += weight;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + weight);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#used -= weight;
      const left = (this.#held.get(owner) ?? 0) - weight;
      if (left > 0) this.#held.set(owner, left);
      else this.#held.delete(owner);
      this.#admit();
    };
  }

  /** Skips at most as many owners as hold permits: an owner without one has room whenever a permit is free. */
  #admit(): void {
    for (const [owner, queue] of this.#waiting) {
      if (this.#used >= this.#permits) return;
      const [next] = queue;
      if (next === undefined || !this.#hasRoomFor(owner, next.weight)) continue;
      // An owner that was admitted goes to the end of the line.
      this.#waiting.delete(owner);
      if (queue.size > 1) this.#waiting.set(owner, queue);
      next.admit();
    }
  }
}
