/**
 * A list whose items are encoded when they are written. A list of an older version has no pages and may be long. With {@link LazyList.at},
 * the encoded forms of its items need not be in memory at the same time, and the event loop can run between two items.
 */
export class LazyList<Item> {
  readonly length: number;
  readonly #items: readonly Item[];
  readonly #encode: (item: Item) => unknown;

  constructor(items: readonly Item[], encode: (item: Item) => unknown) {
    this.length = items.length;
    this.#items = items;
    this.#encode = encode;
  }

  /** Encodes an item. */
  at(index: number): unknown {
    return this.#encode(this.#items[index] as Item);
  }

  /** All items, encoded. */
  toJSON(): unknown[] {
    return this.#items.map((item) => this.#encode(item));
  }
}
