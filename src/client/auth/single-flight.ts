/**
 * Work that several callers wait for together, done once. It goes on as long as one of them waits: a caller that gives up does
 * not take the result from the others, and when the last one has given up the work is aborted.
 */
export class SingleFlight<T> {
  #current:
    | { readonly result: Promise<T>; readonly controller: AbortController; waiting: number }
    | undefined;

  /** Whether it is being done. */
  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Waits for the work, and begins it when nobody else has.
   * @param signal of this caller
   * @throws its reason; and what the work throws
   */
  async join(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    this.#current ??= this.#begin(work);
    const current = this.#current;
    current.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        current.waiting -= 1;
        if (current.waiting === 0) {
          if (this.#current === current) this.#current = undefined;
          current.controller.abort(signal.reason);
        }
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      const settle = () => signal.removeEventListener("abort", leave);
      current.result.finally(settle).then(resolve, reject);
    });
  }

  #begin(work: (signal: AbortSignal) => Promise<T>) {
    const controller = new AbortController();
    const result = work(controller.signal).finally(() => {
      if (this.#current?.controller === controller) this.#current = undefined;
    });
    return { result, controller, waiting: 0 };
  }
}
