/** The place of an item in a {@link LinkedList}. */
export class Link<Item> {
  readonly item: Item;
  previous: Link<Item> | undefined;
  next: Link<Item> | undefined;

  constructor(item: Item) {
    this.item = item;
  }
}

/**
 * A list whose items come and go with requests. It is used in place of a `Map` or `Set`, whose table V8 copies as entries are replaced: an
 * earlier copy in the old generation keeps all requests alive that it refers to, until the next full collection. Nothing in this list
 * refers to an item that was removed.
 */
export class LinkedList<Item> {
  #first: Link<Item> | undefined;
  #last: Link<Item> | undefined;
  #size = 0;

  /** Number of items. */
  get size(): number {
    return this.#size;
  }

  /** The item that was added first, of those that are left; undefined if the list is empty. */
  get first(): Link<Item> | undefined {
    return this.#first;
  }

  /** Adds an item at the end. */
  add(item: Item): Link<Item> {
    const link = new Link(item);
    link.previous = this.#last;
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size += 1;
    return link;
  }

  /** Removes an item of this list. Removing it again has no effect. */
  remove(link: Link<Item>): void {
    const { previous, next } = link;
    if (previous !== undefined) previous.next = next;
    else if (this.#first === link) this.#first = next;
    else return;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    link.previous = undefined;
    link.next = undefined;
    this.#size -= 1;
  }

  /** The items in the order in which they were added. Skips those that are added during the iteration, or removed before their turn. */
  *[Symbol.iterator](): IterableIterator<Item> {
    const links: Link<Item>[] = [];
    for (let link = this.#first; link !== undefined; link = link.next) links.push(link);
    for (const link of links) if (link.previous !== undefined || link === this.#first) yield link.item;
  }
}
