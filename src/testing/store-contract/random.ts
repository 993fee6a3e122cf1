/** Numbers that look random and are the same in every run: a failure can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    // The generator known as mulberry32.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** One of the choices. */
  of<Choice>(...choices: readonly Choice[]): Choice {
    return choices[this.below(choices.length)] as Choice;
  }

  /** A list of up to `limit` items. */
  list<Item>(limit: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(limit + 1) }, make);
  }
}
