import { BoundedMap } from "../../collections/bounded-map.js";

/**
 * Remembers the last keys that were processed, so that none is processed twice. A key that is still being processed counts: a
 * second call with it waits for the first and shares its outcome.
 */
export class ReplayCache {
  readonly #outcomes: BoundedMap<string, Promise<void>>;

  /** @param limit number of keys that are remembered */
  constructor(limit: number) {
    this.#outcomes = new BoundedMap(limit);
  }

  has(key: string): boolean {
    return this.#outcomes.has(key);
  }

  /**
   * Processes a key unless it was processed before. A failed key is forgotten.
   * @returns whether the key was processed before
   * @throws what processing it threw, in this call or in the call that it waited for
   */
  async once(key: string, take: () => Promise<void>): Promise<boolean> {
    const known = this.#outcomes.get(key);
    if (known !== undefined) {
      await known;
      return true;
    }
    const outcome = take();
    this.#outcomes.set(key, outcome);
    try {
      await outcome;
    } catch (error) {
      this.#outcomes.delete(key);
      throw error;
    }
    return false;
  }
}
