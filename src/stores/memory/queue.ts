/** First in, first out, in an array whose emptied front is cut off now and then. */
export class Queue<Item> {
  #items: Item[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  peek(): Item | undefined {
    return this.#items[this.#head];
  }

  push(item: Item): void {
    // Before the array would grow: so the items before the head are never more than those behind it.
    if (this.#head > 32 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    this.#items.push(item);
  }

  shift(): Item | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#head];
    this.#head += 1;
    if (this.#head === this.#items.length) {
      this.#items = [];
      this.#head = 0;
    }
    return item;
  }
}
