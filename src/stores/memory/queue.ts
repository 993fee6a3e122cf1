/** Nothing is gone unless somebody says so. */
const stays = (): boolean => false;

/** Items that are gone are looked for once a queue has this many, and then whenever it has doubled. */
const FEW = 64;

/**
 * First in, first out, in an array whose emptied front is cut off now and then. Items may be gone before it is their turn: these are
 * passed over, and let go of before they are more than the others.
 */
export class Queue<Item> {
  readonly #isGone: (item: Item) => boolean;
  #items: Item[] = [];
  #head = 0;
  /** With how many items to look for those that are gone. */
  #many = FEW;

  /** @param isGone whether an item is to be passed over */
  constructor(isGone: (item: Item) => boolean = stays) {
    this.#isGone = isGone;
  }

  /** How many items there are; those that are gone count until they are let go of. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  peek(): Item | undefined {
    for (;;) {
      const item = this.#items[this.#head];
      if (item === undefined || !this.#isGone(item)) return item;
      this.#advance();
    }
  }

  push(item: Item): void {
    if (this.size >= this.#many) {
      this.#items = this.#items.slice(this.#head).filter((one) => !this.#isGone(one));
      this.#head = 0;
      this.#many = Math.max(FEW, 2 * this.#items.length);
    }
    // Before the array would grow: so the items before the head are never more than those after it.
    else if (this.#head > 32 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.peek();
    if (item !== undefined) this.#advance();
    return item;
  }

  #advance(): void {
    this.#head += 1;
    if (this.#head < this.#items.length) return;
    this.#items = [];
    this.#head = 0;
  }
}
