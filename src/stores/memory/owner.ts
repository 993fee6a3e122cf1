/** An item whose bytes are counted for its owner: a task with its push configs, or the record of a send. */
export interface Counted {
  readonly owner: Owner;
  bytes: number;
  /** Neighbors in the owner's list of evictable items; undefined at its ends, and for items that are not in it. */
  older: Counted | undefined;
  newer: Counted | undefined;
}

/** What a memory store counts for one owner, over all tenants and agents. */
export class Owner {
  readonly id: string;
  /** Approximate bytes of all that is stored for it. */
  bytes = 0;
  /** Bytes of its evictable items: ended tasks, and sends with an outcome. */
  evictable = 0;
  /** Ends of the list of evictable items, which is in the order in which they became evictable. */
  oldest: Counted | undefined;
  newest: Counted | undefined;
  /** Index in the heap of owners with evictable items; -1 before it is added and after it is removed. */
  heapIndex = -1;

  constructor(id: string) {
    this.id = id;
  }

  /** Adds an item to the end of the list of evictable items. */
  push(item: Counted): void {
    item.older = this.newest;
    if (this.newest === undefined) this.oldest = item;
    else this.newest.newer = item;
    this.newest = item;
    this.evictable += item.bytes;
  }

  /** Removes an item from the list of evictable items, if it is there. */
  remove(item: Counted): void {
    if (!this.has(item)) return;
    if (item.older === undefined) this.oldest = item.newer;
    else item.older.newer = item.newer;
    if (item.newer === undefined) this.newest = item.older;
    else item.newer.older = item.older;
    item.older = undefined;
    item.newer = undefined;
    this.evictable -= item.bytes;
  }

  /** Whether an item is in the list of evictable items. */
  has(item: Counted): boolean {
    return item.older !== undefined || this.oldest === item;
  }
}
