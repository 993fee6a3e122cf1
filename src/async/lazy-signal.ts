/**
 * An abort signal that is created on first use: creating one is expensive, and most executors never read it.
 */
export class LazySignal {
  #controller: AbortController | undefined;
  #reason: string | undefined;
  /** Called with the reason on abort. */
  onAbort: ((reason: string) => void) | undefined;

  /** The signal; already aborted if {@link abort} was called before. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal once; the first reason is kept. */
  abort(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#abort(reason);
    this.onAbort?.(reason);
  }

  #abort(reason: string): void {
    this.#controller?.abort(new DOMException(reason, "AbortError"));
  }
}
