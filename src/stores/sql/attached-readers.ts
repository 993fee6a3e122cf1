import { KeyedCounter } from "../../collections/keyed-counter.js";

/** Counts the readers of this process that are attached to logs. A sweep checks for readers before it compacts a log. */
export class AttachedReaders {
  readonly #counts = new KeyedCounter();

  /** Whether a reader is attached to a log. */
  has(key: string): boolean {
    return this.#counts.of(key) > 0;
  }

  /** Attaches a reader to a log. The returned function detaches it and may be called more than once. */
  add(key: string): () => void {
    this.#counts.add(key, 1);
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      this.#counts.add(key, -1);
    };
  }
}
