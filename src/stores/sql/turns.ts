/** Bytes of JSON that are parsed in one turn of the event loop; what passes this is the last of its turn. */
const TURN = 2 ** 20;

/** What has fewer bytes is parsed at once: it takes no longer than the request for it. */
const SMALL = 2 ** 16;

/**
 * Spreads the parsing of large tasks over turns of the event loop, so that other requests are answered in between however many of
 * them are asked for at the same time. First come, first served.
 */
export class Turns {
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];
  #spent = 0;

  /** Asks whether so many bytes may be parsed now: undefined when they may, else a promise for when they may. */
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
