interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * A map with a limit: it drops its oldest entries when a new one does not fit. The age of an entry counts from when it was last set,
 * or used. With {@link BoundedMap.get} alone it drops entries first in, first out; with {@link BoundedMap.use}, the least recently used.
 */
export class BoundedMap<Key, Value> {
  /** The oldest entry comes first. */
  readonly #entries = new Map<Key, Entry<Value>>();
  readonly #limit: number;
  readonly #weightOf: (value: Value) => number;
  #weight = 0;

  /**
   * @param limit maximum weight of all entries
   * @param weightOf weight of a value when it is set; 1 by default, so that the limit is a number of entries
   */
  constructor(limit: number, weightOf: (value: Value) => number = () => 1) {
    this.#limit = limit;
    this.#weightOf = weightOf;
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Weight of all entries. */
  get weight(): number {
    return this.#weight;
  }

  /** Whether a key has an entry. */
  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** The value of a key. The entry keeps its age. */
  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** The value of a key. The entry becomes the newest. */
  use(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Adds or replaces an entry, which becomes the newest. An entry that is heavier than the limit is dropped with all others. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const weight = this.#weightOf(value);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#limit) return;
      this.delete(oldest);
    }
  }

  /** Removes an entry. Has no effect if there is none. */
  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear();
    this.#weight = 0;
  }

  /** Keys and values, the oldest first. */
  *[Symbol.iterator](): Generator<readonly [Key, Value]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }
}
