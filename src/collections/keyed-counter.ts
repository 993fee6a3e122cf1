/** Counts by key, and their sum. A key whose count is 0 takes no memory. */
export class KeyedCounter {
  readonly #counts = new Map<string, number>();
  #total = 0;

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
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }

  /** Sets every count to 0. */
  clear(): void {
    this.#counts.clear();
    this.#total = 0;
  }
}
