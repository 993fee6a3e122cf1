/** Gives a permit back; calling it again has no effect. */
export type Release = () => void;

/** Part of the permits that only owners without one can have. */
const RESERVE = 1 / 4;

/**
 * A semaphore whose owners take turns. An owner that holds a permit leaves the last quarter of them to owners that hold none, so
 * that one owner cannot take them all, however long it keeps what it has.
 */
export class FairSemaphore {
  readonly #permits: number;
  readonly #reserved: number;
  #used = 0;
  readonly #held = new Map<string, number>();
  /** Those who wait, by owner. The owner whose turn is next is first. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(permits: number) {
    this.#permits = permits;
    this.#reserved = Math.floor(permits * RESERVE);
  }

  /** Whether there is neither a holder nor anyone who waits. */
  get isIdle(): boolean {
    return this.#used === 0 && this.#waiting.size === 0;
  }

  /** Takes a permit if there is one now; undefined if not. */
  tryAcquire(owner: string): Release | undefined {
    return this.#hasRoomFor(owner) ? this.#take(owner) : undefined;
  }

  /**
   * Waits for a permit.
   * @returns undefined when the signal aborted first
   */
  async acquire(owner: string, signal: AbortSignal): Promise<Release | undefined> {
    if (signal.aborted) return undefined;
    if (this.#hasRoomFor(owner)) return this.#take(owner);
    return await new Promise((resolve) => {
      const queue = this.#waiting.get(owner) ?? new Set();
      this.#waiting.set(owner, queue);
      const leave = () => {
        signal.removeEventListener("abort", giveUp);
        queue.delete(admit);
        if (queue.size === 0 && this.#waiting.get(owner) === queue) this.#waiting.delete(owner);
      };
      const admit = () => {
        leave();
        resolve(this.#take(owner));
      };
      const giveUp = () => {
        leave();
        resolve(undefined);
      };
      queue.add(admit);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #hasRoomFor(owner: string): boolean {
    const limit = this.#held.has(owner) ? this.#permits - this.#reserved : this.#permits;
    return this.#used < limit;
  }

  #take(owner: string): Release {
    let isHeld = true;
    this.#used += 1;
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#used -= 1;
      const left = (this.#held.get(owner) ?? 1) - 1;
      if (left > 0) this.#held.set(owner, left);
      else this.#held.delete(owner);
      this.#admit();
    };
  }

  /** At most as many owners are passed over as hold permits: an owner without any has room whenever there is a permit. */
  #admit(): void {
    for (const [owner, queue] of this.#waiting) {
      if (this.#used >= this.#permits) return;
      const [admit] = queue;
      if (admit === undefined || !this.#hasRoomFor(owner)) continue;
      // Its next turn comes after that of the others.
      this.#waiting.delete(owner);
      if (queue.size > 1) this.#waiting.set(owner, queue);
      admit();
    }
  }
}
