/**
 * A queue in which owners take turns, so that one with many entries does not delay the others. The entries of one owner keep their order.
 * An entry must not be added while it is in the queue.
 */
export class FairQueue<Entry> {
  /** The owner whose turn is next comes first. */
  readonly #lines = new Map<string, Set<Entry>>();
  #size = 0;

  /** The number of entries of all owners. */
  get size(): number {
    return this.#size;
  }

  /** Adds an entry at the end of its owner's line. */
  add(owner: string, entry: Entry): void {
    const line = this.#lines.get(owner) ?? new Set();
    line.add(entry);
    this.#lines.set(owner, line);
    this.#size += 1;
  }

  /** Removes an entry, wherever it is. Has no effect if it is not in the queue. */
  delete(owner: string, entry: Entry): void {
    const line = this.#lines.get(owner);
    if (!line?.delete(entry)) return;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(owner);
  }

  /**
   * Takes the first entry of the next owner that may go on, and moves this owner to the end.
   * @param mayGoOn decides by the owner and its first entry
   * @returns undefined if no owner may go on
   */
  take(mayGoOn: (owner: string, first: Entry) => boolean): Entry | undefined {
    for (const [owner, line] of this.#lines) {
      const [first] = line;
      const entry = first as Entry;
      if (!mayGoOn(owner, entry)) continue;
      this.delete(owner, entry);
      this.#lines.delete(owner);
      if (line.size > 0) this.#lines.set(owner, line);
      return entry;
    }
    return undefined;
  }

  /** Whether an owner has entries. */
  has(owner: string): boolean {
    return this.#lines.has(owner);
  }

  /** All entries, owner by owner. */
  *[Symbol.iterator](): Generator<Entry> {
    for (const line of this.#lines.values()) yield* line;
  }
}
