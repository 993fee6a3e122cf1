/** Readers of this process that are attached to logs: as long as one is, its entries stay. */
export class AttachedReaders {
  readonly #counts = new Map<string, number>();

  has(place: string): boolean {
    return this.#counts.has(place);
  }

  /** A reader is attached to a log; the result ends that, once. */
  add(place: string): () => void {
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      const left = (this.#counts.get(place) ?? 1) - 1;
      if (left > 0) this.#counts.set(place, left);
      else this.#counts.delete(place);
    };
  }
}
