/**
 * Runs work once for all callers that need it at the same time. The work continues as long as one of them waits: a caller whose signal
 * aborts does not affect the others, and when the last one has left, the work's signal aborts.
 */
export class SingleFlight<T> {
  #current:
    | { readonly result: Promise<T>; readonly controller: AbortController; waiting: number }
    | undefined;

  /** Whether there is running work to join. */
  get isRunning(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Waits for the work, and starts it if it is not running.
   * @param signal the signal of this caller
   * @throws what the work throws; the reason of the signal
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
