/** What the table of a map refers to in place of a value. */
interface Cell<Value> {
  value: Value | undefined;
}

/**
 * A map whose entries come and go with requests. V8 copies the table of a `Map` as entries are replaced, and an earlier copy in the old
 * generation keeps all values alive that it refers to, until the next full collection. Here it keeps only empty cells.
 */
export class ShortLivedMap<Value extends object> {
  readonly #cells = new Map<string, Cell<Value>>();

  /** Number of entries. */
  get size(): number {
    return this.#cells.size;
  }

  /** The value of a key; undefined if it has none. */
  get(key: string): Value | undefined {
    return this.#cells.get(key)?.value;
  }

  /** Adds an entry, or replaces the value of the key. */
  set(key: string, value: Value): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
  }

  /** Deletes the entry of a key, if there is one. */
  delete(key: string): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  /** All values, in the order in which their keys were added. */
  values(): Value[] {
    return Array.from(this.#cells.values(), ({ value }) => value as Value);
  }
}
