/** Bytes of JSON parsed per turn of the event loop. The value that exceeds the limit is the last of its turn. */
const TURN = 2 ** 20;

/** Smaller values are parsed at once: parsing takes no longer than the request for them. */
const SMALL = 2 ** 16;

/**
 * Spreads the parsing of large tasks over turns of the event loop, first come, first served. Other requests are answered in between,
 * however many large tasks are requested at the same time.
 */
export class Turns {
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  #spent = 0;

  /** Asks to parse this many bytes: returns undefined if they may be parsed now, otherwise a promise that resolves when they may. */
  enter(bytes: number): Promise<void> | undefined {
    if (bytes < SMALL) return undefined;
    if (this.#spent < TURN && this.#waiting.length === 0) return this.#spend(bytes);
    return new Promise((enter) => this.#waiting.push({ bytes, enter }));
  }

  #spend(bytes: number): undefined {
    if (this.#spent === 0) setImmediate(this.#next);
    this.#spent += bytes;
  }

  readonly #next = (): void => {
    this.#spent = 0;
    while (this.#spent < TURN) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#spend(next.bytes);
      next.enter();
    }
  };
}
