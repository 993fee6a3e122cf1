/**
 * Remembers what was taken, the latest so many, so that nothing is taken twice. What is still being taken counts: whoever
 * brings it again learns what became of it.
 */
export class ReplayCache {
  readonly #limit: number;
  readonly #outcomes = new Map<string, Promise<void>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(key: string): boolean {
    return this.#outcomes.has(key);
  }

  /**
   * Takes something, unless it was taken before. What fails is not remembered.
   * @returns whether it was taken before
   * @throws what taking it threw, now or then
   */
  async once(key: string, take: () => Promise<void>): Promise<boolean> {
    const known = this.#outcomes.get(key);
    if (known !== undefined) {
      await known;
      return true;
    }
    const outcome = take();
    this.#outcomes.set(key, outcome);
    this.#forget();
    try {
      await outcome;
    } catch (error) {
      this.#outcomes.delete(key);
      throw error;
    }
    return false;
  }

  #forget(): void {
    if (this.#outcomes.size <= this.#limit) return;
    const [oldest] = this.#outcomes.keys();
    if (oldest !== undefined) this.#outcomes.delete(oldest);
  }
}
