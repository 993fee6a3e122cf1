/** Gives back what was taken; called once. */
type Leave = () => void;

/**
 * Bounds how many bytes are held at the same time, first come, first served. What is larger than the bound is let in when nothing else
 * is held.
 */
export class ByteSemaphore {
  readonly #limit: number;
  readonly #waiting: { readonly bytes: number; readonly admit: (leave: Leave) => void }[] = [];
  #held = 0;

  /** @param limit bytes that are held at most */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when so many bytes may be held. */
  enter(bytes: number): Promise<Leave> {
    return new Promise((admit) => {
      this.#waiting.push({ bytes, admit });
      this.#next();
    });
  }

  #next(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const { bytes, admit } = next;
      if (this.#held > 0 && this.#held + bytes > this.#limit) return;
      this.#waiting.shift();
      this.#held += bytes;
      admit(() => {
        this.#held -= bytes;
        this.#next();
      });
    }
  }
}
