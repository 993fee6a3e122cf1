import { valueSize } from "../../json/value-size.js";
import type { LogEntry } from "../task-store.js";
import type { MemoryTask } from "./memory-task.js";
import { type Counted, Owner } from "./owner.js";

/** Bytes of a task besides its entries, and of an ended task besides its content after its entries are dropped. */
const OPEN_TASK = 1024;
const ENDED_TASK = 256;

/** Bytes of an entry that its task does not share. */
const ENTRY = 240;

/** A smaller task is not measured again when its entries are dropped. The difference is not worth the walk. */
const SMALL = 4096;

/**
 * Approximate size of entries in memory. The task itself needs no more, because it shares their content.
 * @param isNew whether the entries create the task
 */
export function entriesSize(entries: readonly LogEntry[], isNew: boolean): number {
  let bytes = isNew ? OPEN_TASK : 0;
  for (const entry of entries) bytes += valueSize(entry);
  return bytes;
}

/**
 * Approximate size of an ended task whose entries are dropped.
 * @param configs bytes of its push configs
 */
export function compactedSize(task: MemoryTask, configs: number): number {
  const bytes = task.bytes - configs - OPEN_TASK - ENTRY * task.generation;
  return configs + ENDED_TASK + (bytes < SMALL ? Math.max(bytes, 0) : valueSize(task.task));
}

/** Finds the owner with the most bytes: a binary heap in which each owner knows its index. */
export class LargestFirst {
  readonly #owners: Owner[] = [];

  /** The owner with the most bytes. */
  get first(): Owner | undefined {
    return this.#owners[0];
  }

  /** Adds an owner, or moves it after its bytes have changed. */
  put(owner: Owner): void {
    if (owner.rank < 0) owner.rank = this.#owners.push(owner) - 1;
    this.#up(owner);
    this.#down(owner);
  }

  /** Removes an owner, if it is in the heap. */
  remove(owner: Owner): void {
    const { rank } = owner;
    if (rank < 0) return;
    owner.rank = -1;
    const last = this.#owners.pop();
    if (last === undefined || last === owner) return;
    this.#set(rank, last);
    this.#up(last);
    this.#down(last);
  }

  clear(): void {
    this.#owners.length = 0;
  }

  #up(owner: Owner): void {
    while (owner.rank > 0) {
      const parent = this.#owners[(owner.rank - 1) >> 1];
      if (parent === undefined || parent.bytes >= owner.bytes) return;
      this.#swap(owner, parent);
    }
  }

  #down(owner: Owner): void {
    for (;;) {
      const left = this.#owners[2 * owner.rank + 1];
      const right = this.#owners[2 * owner.rank + 2];
      const larger = right !== undefined && left !== undefined && right.bytes > left.bytes ? right : left;
      if (larger === undefined || larger.bytes <= owner.bytes) return;
      this.#swap(owner, larger);
    }
  }

  #swap(one: Owner, other: Owner): void {
    const { rank } = one;
    this.#set(other.rank, one);
    this.#set(rank, other);
  }

  #set(rank: number, owner: Owner): void {
    this.#owners[rank] = owner;
    owner.rank = rank;
  }
}

/** Bounds on the memory of a store. `Infinity` removes a bound. */
export interface ByteBounds {
  /** Approximate bytes in total; 128 MiB by default. */
  readonly maxBytes?: number;
  /** Approximate bytes per owner, over all tenants and agents; 64 MiB by default. */
  readonly maxBytesPerOwner?: number;
}

const MIB = 2 ** 20;

/** The bound that was reached: that of one owner, or the total. */
type Bound = "owner" | "all";

/** Evicts an item, which gives back its bytes. */
type Evict = (item: Counted) => void;

/**
 * Counts the bytes of a memory store by owner, and makes room at a bound by evicting the oldest items that may be evicted. For the
 * total bound the owner with the most bytes loses items, so that no owner can displace others while it has more than they have.
 */
export class StoredBytes {
  readonly #max: number;
  readonly #maxPerOwner: number;
  readonly #evict: Evict;
  readonly #owners = new Map<string, Owner>();
  /** Owners with items that may be evicted. */
  readonly #largest = new LargestFirst();
  #total = 0;
  #spare = 0;

  constructor({ maxBytes = 128 * MIB, maxBytesPerOwner = 64 * MIB }: ByteBounds, evict: Evict) {
    this.#max = maxBytes;
    this.#maxPerOwner = maxBytesPerOwner;
    this.#evict = evict;
  }

  /** Bytes of all owners. */
  get total(): number {
    return this.#total;
  }

  /** Number of owners with anything in the store. */
  get owners(): number {
    return this.#owners.size;
  }

  /** Bytes of one owner. */
  bytesOf(id: string): number {
    return this.#owners.get(id)?.bytes ?? 0;
  }

  /** Finds or creates an owner. One without bytes is not kept, so callers make room next. */
  ownerOf(id: string): Owner {
    const known = this.#owners.get(id);
    if (known !== undefined) return known;
    const owner = new Owner(id);
    this.#owners.set(id, owner);
    return owner;
  }

  /**
   * Makes room for more bytes of an owner.
   * @returns the bound that was reached when there is no room. Nothing was evicted in vain then, unless the owners with more bytes had
   * less to evict than is missing
   */
  makeRoom(owner: Owner, bytes: number): Bound | undefined {
    const isWithin = owner.bytes + bytes <= this.#maxPerOwner && this.#total + bytes <= this.#max;
    const bound = isWithin ? undefined : this.#evictFor(owner, bytes);
    if (owner.bytes > 0) return bound;
    // Eviction may have removed the owner's last item, and with it the owner: keep it for the new bytes.
    if (bound !== undefined) this.#owners.delete(owner.id);
    else this.#owners.set(owner.id, owner);
    return bound;
  }

  /** Counts bytes of an owner that belong to no item; a negative number gives them back. */
  charge(owner: Owner, bytes: number): void {
    this.#total += bytes;
    owner.bytes += bytes;
    if (owner.bytes === 0) this.#owners.delete(owner.id);
    else if (owner.rank >= 0) this.#largest.put(owner);
  }

  /** Counts the bytes by which an item has grown or, if negative, shrunk. */
  grow(item: Counted, bytes: number): void {
    const { owner } = item;
    item.bytes += bytes;
    if (owner.has(item)) {
      owner.spare += bytes;
      this.#spare += bytes;
    }
    this.charge(owner, bytes);
  }

  /** Allows an item to be evicted from now on. */
  spare(item: Counted): void {
    const { owner } = item;
    owner.push(item);
    this.#spare += item.bytes;
    this.#largest.put(owner);
  }

  /** Removes an item and gives back its bytes. */
  remove(item: Counted): void {
    const { owner, bytes } = item;
    const before = owner.spare;
    owner.remove(item);
    this.#spare += owner.spare - before;
    item.bytes = 0;
    if (owner.oldest === undefined) this.#largest.remove(owner);
    this.charge(owner, -bytes);
  }

  clear(): void {
    this.#owners.clear();
    this.#largest.clear();
    this.#total = 0;
    this.#spare = 0;
  }

  #evictFor(owner: Owner, bytes: number): Bound | undefined {
    if (owner.bytes - owner.spare + bytes > this.#maxPerOwner) return "owner";
    if (this.#total - this.#spare + bytes > this.#max) return "all";
    while (owner.oldest && owner.bytes + bytes > this.#maxPerOwner) this.#evict(owner.oldest);
    while (this.#total + bytes > this.#max) {
      const item = this.#spareFor(owner, bytes);
      if (item === undefined) return "all";
      this.#evict(item);
    }
    return undefined;
  }

  /** The next item to evict for new bytes of an owner: from the owner with the most bytes, or from this one if it would have more. */
  #spareFor(owner: Owner, bytes: number): Counted | undefined {
    const { first } = this.#largest;
    const isLargest = first === undefined || first.bytes < owner.bytes + bytes;
    return (isLargest ? owner : first).oldest;
  }
}
