import { createHash } from "node:crypto";
import { BoundedMap } from "../../collections/bounded-map.js";

/**
 * Remembers the keys that were processed last, so that none of them is processed twice. A call with a key that is still being processed
 * waits for the first call, and fails if that fails.
 */
export class ReplayCache {
  /** By the digest of the key: senders choose the length of ids. */
  readonly #outcomes: BoundedMap<string, Promise<void>>;

  /** @param limit number of keys to remember, including those that are being processed */
  constructor(limit: number) {
    this.#outcomes = new BoundedMap(limit);
  }

  /** Whether a key is remembered: it was processed, or is being processed. */
  has(key: string): boolean {
    return this.#outcomes.has(digestOf(key));
  }

  /**
   * Processes a key unless it is remembered. A key whose processing fails is forgotten.
   * @returns whether an earlier call has processed the key
   * @throws what processing it threw, in this call or in the call that it waited for
   */
  async once(key: string, run: () => Promise<void>): Promise<boolean> {
    const digest = digestOf(key);
    const known = this.#outcomes.get(digest);
    if (known !== undefined) {
      await known;
      return true;
    }
    const outcome = run();
    this.#outcomes.set(digest, outcome);
    try {
      await outcome;
    } catch (error) {
      // The key may have been dropped in the meantime, and another call may process it.
      if (this.#outcomes.get(digest) === outcome) this.#outcomes.delete(digest);
      throw error;
    }
    return false;
  }
}

function digestOf(key: string): string {
  return createHash("sha256").update(key).digest("base64");
}
