/** An abort signal that is only made when somebody asks for it: most runs and requests never do, and making one is dear. */
export class LazySignal {
  #controller: AbortController | undefined;
  #reason: string | undefined;
  /** Called with the reason when it is aborted. */
  onAbort: ((reason: string) => void) | undefined;

  /** The signal; aborted already when {@link abort} was called before. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts it, once; the first reason stays. */
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
