/** Up to this length an array is copied to size when it is handed out: growing leaves room behind the last item. */
const SMALL = 32;

/**
 * A list that grows in place and is handed out without copying: what was handed out is frozen, and the next change works on
 * a copy. So items cost their own size however long the list is, and readers keep what they saw.
 */
export class GrowingList<Item> {
  #items: Item[];
  #owned = false;

  /** @param items where the list starts; never changed, and handed out again as long as nothing is added */
  constructor(items: readonly Item[] = []) {
    // Only ever changed once `#own` has replaced it by a copy.
    this.#items = items as Item[];
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  push(item: Item): void {
    this.#own();
    this.#items.push(item);
  }

  set(index: number, item: Item): void {
    this.#own();
    this.#items[index] = item;
  }

  /** The list as it stands, frozen. */
  share(): Item[] {
    if (!Object.isFrozen(this.#items)) {
      const exact = !this.#owned || this.#items.length <= SMALL ? this.#items.slice() : this.#items;
      this.#items = Object.freeze(exact) as Item[];
    }
    this.#owned = false;
    return this.#items;
  }

  #own(): void {
    if (this.#owned) return;
    // Spread, because `slice` of a frozen array takes V8's slow path.
    this.#items = [...this.#items];
    this.#owned = true;
  }
}
