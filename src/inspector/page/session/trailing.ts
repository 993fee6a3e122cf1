/** Milliseconds between two publications at least. */
const INTERVAL = 100;

/** Publishes a state that changes often: at once, then once in an interval, and always its last change. */
export class Trailing {
  readonly #publish: () => void;
  #last = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(publish: () => void) {
    this.#publish = publish;
  }

  /** The state has changed. */
  changed(): void {
    const wait = this.#last + INTERVAL - performance.now();
    if (wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait);
  }

  /** Publishes now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = performance.now();
    this.#publish();
  }
}
