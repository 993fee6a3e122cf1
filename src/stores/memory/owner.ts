/** Something whose bytes are counted for its owner: a task with its push configs, or a send that is remembered. */
export interface Counted {
  readonly owner: Owner;
  bytes: number;
  /** Neighbours in the list of what the owner can spare; undefined at its ends, and for what is not in it. */
  older: Counted | undefined;
  newer: Counted | undefined;
}

/** What one owner has in a memory store, over all its tenants and all agents. */
export class Owner {
  readonly id: string;
  /** Bytes of everything. */
  bytes = 0;
  /** Bytes of what it can spare: of tasks that have ended and of sends that were answered. */
  spare = 0;
  /** What goes first and last when there is no room. */
  oldest: Counted | undefined;
  newest: Counted | undefined;
  /** Place in {@link LargestFirst}; -1 for none. */
  rank = -1;

  constructor(id: string) {
    this.id = id;
  }

  /** Adds to what can be spared; it goes after all that is there. */
  push(item: Counted): void {
    item.older = this.newest;
    if (this.newest === undefined) this.oldest = item;
    else this.newest.newer = item;
    this.newest = item;
    this.spare += item.bytes;
  }

  /** Takes out of what can be spared; without effect on what is not in it. */
  remove(item: Counted): void {
    if (!this.has(item)) return;
    if (item.older === undefined) this.oldest = item.newer;
    else item.older.newer = item.newer;
    if (item.newer === undefined) this.newest = item.older;
    else item.newer.older = item.older;
    item.older = undefined;
    item.newer = undefined;
    this.spare -= item.bytes;
  }

  /** Whether something can be spared. */
  has(item: Counted): boolean {
    return item.older !== undefined || this.oldest === item;
  }
}
