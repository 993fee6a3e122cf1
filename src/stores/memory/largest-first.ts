import type { Owner } from "./owner.js";

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
