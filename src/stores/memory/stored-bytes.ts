import { valueSize } from "../../json/value-size.js";
import type { LogEntry } from "../task-store.js";
import type { MemoryTask } from "./memory-task.js";
import { type Counted, Owner } from "./owner.js";

/** Bytes of a task that is not compacted, without its entries. */
const LOGGED_TASK = 1024;
/** Bytes of a compacted task without its content. */
const COMPACTED_TASK = 256;

/** Bytes of an entry without the content that it shares with its task. */
const ENTRY = 240;

/** A task whose content is below this estimate is not measured again when its entries are dropped, to save time. */
const SMALL = 4096;

/**
 * Approximate bytes that entries add to the memory of a store. Content that the folded task shares with them is counted once.
 * @param isNew whether the entries create the task, whose own bytes are then included
 */
export function entriesSize(entries: readonly LogEntry[], isNew: boolean): number {
  let bytes = isNew ? LOGGED_TASK : 0;
  for (const entry of entries) bytes += valueSize(entry);
  return bytes;
}

/**
 * Approximate bytes of an ended task and its push configs without entries. Its `bytes` must still include the entries.
 * @param configs bytes of the push configs
 */
export function compactedSize(task: MemoryTask, configs: number): number {
  const bytes = task.bytes - configs - LOGGED_TASK - ENTRY * task.generation;
  return configs + COMPACTED_TASK + (bytes < SMALL ? Math.max(bytes, 0) : valueSize(task.task));
}

/** Finds the owner with the most bytes. A binary heap in which each owner stores its own index. */
export class LargestFirst {
  readonly #owners: Owner[] = [];

  /** The owner with the most bytes; undefined if there is no owner. */
  get first(): Owner | undefined {
    return this.#owners[0];
  }

  /** Adds an owner, or moves it after its bytes have changed. */
  put(owner: Owner): void {
    if (owner.heapIndex < 0) owner.heapIndex = this.#owners.push(owner) - 1;
    this.#up(owner);
    this.#down(owner);
  }

  /** Removes an owner, if it is in the heap. */
  remove(owner: Owner): void {
    const { heapIndex } = owner;
    if (heapIndex < 0) return;
    owner.heapIndex = -1;
    const last = this.#owners.pop();
    if (last === undefined || last === owner) return;
    this.#set(heapIndex, last);
    this.#up(last);
    this.#down(last);
  }

  clear(): void {
    this.#owners.length = 0;
  }

  #up(owner: Owner): void {
    while (owner.heapIndex > 0) {
      const parent = this.#owners[(owner.heapIndex - 1) >> 1];
      if (parent === undefined || parent.bytes >= owner.bytes) return;
      this.#swap(owner, parent);
    }
  }

  #down(owner: Owner): void {
    for (;;) {
      const left = this.#owners[2 * owner.heapIndex + 1];
      const right = this.#owners[2 * owner.heapIndex + 2];
      const larger = right !== undefined && left !== undefined && right.bytes > left.bytes ? right : left;
      if (larger === undefined || larger.bytes <= owner.bytes) return;
      this.#swap(owner, larger);
    }
  }

  #swap(one: Owner, other: Owner): void {
    const { heapIndex } = one;
    this.#set(other.heapIndex, one);
    this.#set(heapIndex, other);
  }

  #set(heapIndex: number, owner: Owner): void {
    this.#owners[heapIndex] = owner;
    owner.heapIndex = heapIndex;
  }
}

/** Bounds on the memory of a memory store. `Infinity` removes a bound. */
export interface ByteBounds {
  /** Approximate bytes in total; 128 MiB by default. */
  readonly maxBytes?: number | undefined;
  /** Approximate bytes per owner, over all tenants and agents; 64 MiB by default. */
  readonly maxBytesPerOwner?: number | undefined;
}

const MIB = 2 ** 20;

/** The bound that was reached: that of one owner, or that of all together. */
type Bound = "owner" | "all";

/** Evicts an item and thereby frees its bytes. */
type Evict = (item: Counted) => void;

/**
 * Counts the bytes of a memory store by owner, and makes room at a bound by evicting items, the oldest of an owner first. At the bound of
 * an owner it evicts items of this owner. At the total bound it evicts items of owners with at least as many bytes as the one that needs
 * room would have, the largest owner first, then those of this owner.
 */
export class StoredBytes {
  readonly #max: number;
  readonly #maxPerOwner: number;
  readonly #evict: Evict;
  readonly #owners = new Map<string, Owner>();
  /** Owners with evictable items. */
  readonly #largest = new LargestFirst();
  #total = 0;
  #evictable = 0;

  constructor({ maxBytes = 128 * MIB, maxBytesPerOwner = 64 * MIB }: ByteBounds, evict: Evict) {
    this.#max = maxBytes;
    this.#maxPerOwner = maxBytesPerOwner;
    this.#evict = evict;
  }

  /** Bytes of all owners. */
  get total(): number {
    return this.#total;
  }

  /** Number of owners. */
  get owners(): number {
    return this.#owners.size;
  }

  /** Bytes of one owner. */
  bytesOf(id: string): number {
    return this.#owners.get(id)?.bytes ?? 0;
  }

  /** Finds or creates an owner. Callers then add bytes, or call {@link makeRoom}, which drops a new owner if there is no room. */
  ownerOf(id: string): Owner {
    const known = this.#owners.get(id);
    if (known !== undefined) return known;
    const owner = new Owner(id);
    this.#owners.set(id, owner);
    return owner;
  }

  /**
   * Makes room for more bytes of an owner.
   * @returns the bound that prevents it; undefined when there is room. If it is the total bound, items may have been evicted nevertheless
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

  /**
   * Adds bytes to those of an owner and to the total; a negative number frees bytes. An owner without bytes is dropped. For bytes of an
   * item, callers use {@link grow}.
   */
  charge(owner: Owner, bytes: number): void {
    this.#total += bytes;
    owner.bytes += bytes;
    if (owner.bytes === 0) this.#owners.delete(owner.id);
    else if (owner.heapIndex >= 0) this.#largest.put(owner);
  }

  /** Counts the bytes by which an item has grown or, if negative, shrunk. */
  grow(item: Counted, bytes: number): void {
    const { owner } = item;
    item.bytes += bytes;
    if (owner.has(item)) {
      owner.evictable += bytes;
      this.#evictable += bytes;
    }
    this.charge(owner, bytes);
  }

  /** Allows an item to be evicted from now on. */
  allowEviction(item: Counted): void {
    const { owner } = item;
    owner.push(item);
    this.#evictable += item.bytes;
    this.#largest.put(owner);
  }

  /** Removes an item and frees its bytes. */
  remove(item: Counted): void {
    const { owner, bytes } = item;
    const before = owner.evictable;
    owner.remove(item);
    this.#evictable += owner.evictable - before;
    item.bytes = 0;
    if (owner.oldest === undefined) this.#largest.remove(owner);
    this.charge(owner, -bytes);
  }

  clear(): void {
    this.#owners.clear();
    this.#largest.clear();
    this.#total = 0;
    this.#evictable = 0;
  }

  #evictFor(owner: Owner, bytes: number): Bound | undefined {
    if (owner.bytes - owner.evictable + bytes > this.#maxPerOwner) return "owner";
    if (this.#total - this.#evictable + bytes > this.#max) return "all";
    while (owner.oldest && owner.bytes + bytes > this.#maxPerOwner) this.#evict(owner.oldest);
    while (this.#total + bytes > this.#max) {
      const item = this.#nextToEvict(owner, bytes);
      if (item === undefined) return "all";
      this.#evict(item);
    }
    return undefined;
  }

  /**
   * The next item to evict for new bytes of an owner: from the largest of the owners with evictable items, or from this owner if it would
   * have more bytes.
   * @returns undefined if this owner would have more bytes, but has no evictable item
   */
  #nextToEvict(owner: Owner, bytes: number): Counted | undefined {
    const { first } = this.#largest;
    const isLargest = first === undefined || first.bytes < owner.bytes + bytes;
    return (isLargest ? owner : first).oldest;
  }
}
