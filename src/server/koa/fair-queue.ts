/** Entries of several callers, each in the order in which they came. Callers take turns, so one with many entries delays no other. */
export class FairQueue<Entry> {
  /** The caller whose turn it is comes first. */
  readonly #lines = new Map<string, Set<Entry>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an entry at the end of its caller's line. */
  add(caller: string, entry: Entry): void {
    const line = this.#lines.get(caller) ?? new Set();
    line.add(entry);
    this.#lines.set(caller, line);
    this.#size += 1;
  }

  /** Removes an entry, wherever it is. */
  delete(caller: string, entry: Entry): void {
    const line = this.#lines.get(caller);
    if (!line?.delete(entry)) return;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(caller);
  }

  /** Takes the first entry of the next caller that may go on; undefined when there is none. */
  take(mayGoOn: (caller: string) => boolean): Entry | undefined {
    for (const [caller, line] of this.#lines) {
      if (!mayGoOn(caller)) continue;
      const [entry] = line;
      this.delete(caller, entry as Entry);
      this.#lines.delete(caller);
      if (line.size > 0) this.#lines.set(caller, line);
      return entry;
    }
    return undefined;
  }

  /** Whether a caller has entries. */
  has(caller: string): boolean {
    return this.#lines.has(caller);
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (const line of this.#lines.values()) yield* line;
  }
}
