/** Counts by key, and their sum. Keys whose count is 0 are dropped, except the one that reached 0 last. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();
  #total = 0;
  /** The key that reached 0 last. It stays, because a Map that becomes empty allocates its table again: at each request of a lone caller. */
  #idle: string | undefined;

  /** The sum of all counts. */
  get total(): number {
    return this.#total;
  }

  /** The count of a key; 0 for a key that was never counted. */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Adds to the count of a key. The count must not become negative. */
  add(key: string, amount: number): void {
    const count = this.of(key) + amount;
    this.#total += amount;
    this.#counts.set(key, count);
    if (count === 0) this.#keepIdle(key);
  }

  /** Sets every count to 0. */
  clear(): void {
    this.#counts.clear();
    this.#total = 0;
    this.#idle = undefined;
  }

  #keepIdle(key: string): void {
    const last = this.#idle;
    this.#idle = key;
    if (last !== undefined && last !== key && this.of(last) === 0) this.#counts.delete(last);
  }
}
