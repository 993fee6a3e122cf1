import { KeyedCounter } from "../../collections/keyed-counter.js";

/** Readers of this process that are attached to logs: as long as one is, its entries stay. */
export class AttachedReaders {
  readonly #counts = new KeyedCounter();

  has(place: string): boolean {
    return this.#counts.of(place) > 0;
  }

  /** A reader is attached to a log; the result ends that, once. */
  add(place: string): () => void {
    this.#counts.add(place, 1);
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      this.#counts.add(place, -1);
    };
  }
}
