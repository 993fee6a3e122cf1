/**
 * A list whose items are put into their wire form when they are written, one at a time. A page of large tasks is not held twice, and the
 * event loop can answer others between two items.
 */
export class ListOf<Item> implements Iterable<unknown> {
  readonly length: number;
  readonly #items: readonly Item[];
  readonly #encode: (item: Item) => unknown;

  constructor(items: readonly Item[], encode: (item: Item) => unknown) {
    this.length = items.length;
    this.#items = items;
    this.#encode = encode;
  }

  *[Symbol.iterator](): Generator<unknown> {
    for (const item of this.#items) yield this.#encode(item);
  }

  /** The list written as a whole. */
  toJSON(): unknown[] {
    return [...this];
  }
}
