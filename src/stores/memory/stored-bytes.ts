import { valueSize } from "../../json/value-size.js";
import type { LogEntry } from "../task-store.js";
import type { MemoryTask } from "./memory-task.js";
import { type Counted, Owner } from "./owner.js";

/** Bytes that a task takes besides its entries, and besides itself once these are gone: its places in the store. */
const OPEN_TASK = 1024;
const ENDED_TASK = 256;

/** Bytes of an entry that are not in its task. */
const ENTRY = 240;

/** A task with fewer bytes is not measured when its entries go: what they have replaced is not worth a walk. */
const SMALL = 4096;

/**
 * About how many bytes entries take in memory. Their task takes no more, because it shares what is in them.
 * @param isNew whether they make their task
 */
export function entriesSize(entries: readonly LogEntry[], isNew: boolean): number {
  let bytes = isNew ? OPEN_TASK : 0;
  for (const entry of entries) bytes += valueSize(entry);
  return bytes;
}

/**
 * About how many bytes an ended task takes whose entries are gone.
 * @param configs bytes of its push configs
 */
export function compactedSize(task: MemoryTask, configs: number): number {
  const bytes = task.bytes - configs - OPEN_TASK - ENTRY * task.generation;
  return configs + ENDED_TASK + (bytes < SMALL ? Math.max(bytes, 0) : valueSize(task.task));
}

/** Owners of whom the one with the most bytes is known at once: a binary heap, in which each owner knows its place. */
export class LargestFirst {
  readonly #owners: Owner[] = [];

  /** The owner with the most bytes. */
  get first(): Owner | undefined {
    return this.#owners[0];
  }

  /** Adds an owner, or moves it to where its bytes belong now. */
  put(owner: Owner): void {
    if (owner.rank < 0) owner.rank = this.#owners.push(owner) - 1;
    this.#up(owner);
    this.#down(owner);
  }

  /** Takes an owner out; without effect when it is not in. */
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

/** How much a memory store holds. `Infinity` lifts a bound. */
export interface ByteBounds {
  /** Bytes that the store holds, about. Default 128 MiB. */
  readonly maxBytes?: number;
  /** Bytes that the store holds for one owner of tasks, over all its tenants and all agents. Default 64 MiB. */
  readonly maxBytesPerOwner?: number;
}

const MIB = 2 ** 20;

/** Which bound is in the way: that of one owner, or that on all. */
type Bound = "owner" | "all";

/** What may go when there is no room: removes something, which takes its bytes back. */
type Evict = (item: Counted) => void;

/**
 * Counts what a memory store holds, by owner, and makes room where a bound is reached: what an owner can spare goes, the oldest
 * first. For the bound on all it is the owner with the most bytes who gives way, so that no owner can take the place of others while
 * it holds more itself.
 */
export class StoredBytes {
  readonly #max: number;
  readonly #maxPerOwner: number;
  readonly #evict: Evict;
  readonly #owners = new Map<string, Owner>();
  /** Owners who can spare something. */
  readonly #largest = new LargestFirst();
  #total = 0;
  #spare = 0;

  constructor({ maxBytes = 128 * MIB, maxBytesPerOwner = 64 * MIB }: ByteBounds, evict: Evict) {
    this.#max = maxBytes;
    this.#maxPerOwner = maxBytesPerOwner;
    this.#evict = evict;
  }

  /** Of all owners. */
  get total(): number {
    return this.#total;
  }

  /** How many owners have something in the store. */
  get owners(): number {
    return this.#owners.size;
  }

  /** Bytes of one owner. */
  bytesOf(id: string): number {
    return this.#owners.get(id)?.bytes ?? 0;
  }

  /** What an owner has. One who has nothing is forgotten, so whoever asks makes room next. */
  ownerOf(id: string): Owner {
    const known = this.#owners.get(id);
    if (known !== undefined) return known;
    const owner = new Owner(id);
    this.#owners.set(id, owner);
    return owner;
  }

  /**
   * Makes room for more of an owner.
   * @returns which bound is in the way, when there is no room; then nothing has gone that could have stayed, unless the owners
   * with more than this one have less to spare than is missing
   */
  makeRoom(owner: Owner, bytes: number): Bound | undefined {
    const isWithin = owner.bytes + bytes <= this.#maxPerOwner && this.#total + bytes <= this.#max;
    const bound = isWithin ? undefined : this.#evictFor(owner, bytes);
    if (owner.bytes > 0) return bound;
    // All that it had has gone; what it gets makes it known again.
    if (bound !== undefined) this.#owners.delete(owner.id);
    else this.#owners.set(owner.id, owner);
    return bound;
  }

  /** Counts bytes of an owner that belong to no item, or takes them back. */
  charge(owner: Owner, bytes: number): void {
    this.#total += bytes;
    owner.bytes += bytes;
    if (owner.bytes === 0) this.#owners.delete(owner.id);
    else if (owner.rank >= 0) this.#largest.put(owner);
  }

  /** Counts an item that has grown, or shrunk. */
  grow(item: Counted, bytes: number): void {
    const { owner } = item;
    item.bytes += bytes;
    if (owner.has(item)) {
      owner.spare += bytes;
      this.#spare += bytes;
    }
    this.charge(owner, bytes);
  }

  /** An item may go from now on when there is no room. */
  spare(item: Counted): void {
    const { owner } = item;
    owner.push(item);
    this.#spare += item.bytes;
    this.#largest.put(owner);
  }

  /** Takes an item out that is no longer held. */
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

  /** What gives way to so many bytes of an owner: of the owner with the most, or of this one when it would have more. */
  #spareFor(owner: Owner, bytes: number): Counted | undefined {
    const { first } = this.#largest;
    const isLargest = first === undefined || first.bytes < owner.bytes + bytes;
    return (isLargest ? owner : first).oldest;
  }
}
