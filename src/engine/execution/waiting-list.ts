interface Waiting {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Promises that something has got as far as a position. Each settles when that is known, whatever else is still under way. */
export class WaitingList {
  #waiting: Waiting[] = [];

  /** Resolves at {@link reached} with this position or a later one; rejects at {@link failed}. */
  wait(position: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ position, resolve, reject });
    });
  }

  reached(position: number): void {
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter((one) => one.position <= position);
    this.#waiting = this.#waiting.filter((one) => one.position > position);
    for (const { resolve } of due) resolve();
  }

  failed(error: unknown): void {
    const due = this.#waiting;
    this.#waiting = [];
    for (const { reject } of due) reject(error);
  }
}
