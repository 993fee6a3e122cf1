interface Waiting {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Promises that resolve when a counter reaches a position. */
export class WaitingList {
  #waiting: Waiting[] = [];

  /** Resolves when {@link reached} is called with this position or a later one; rejects with the error of {@link failed}. */
  wait(position: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ position, resolve, reject });
    });
  }

  /** Resolves the pending promises up to a position. */
  reached(position: number): void {
    if (this.#waiting.length === 0) return;
    const due = this.#waiting.filter((one) => one.position <= position);
    this.#waiting = this.#waiting.filter((one) => one.position > position);
    for (const { resolve } of due) resolve();
  }

  /** Rejects the promises that are pending. */
  failed(error: unknown): void {
    const due = this.#waiting;
    this.#waiting = [];
    for (const { reject } of due) reject(error);
  }
}
