import { compareTimestamps } from "../timestamp-order.js";
import type { MemoryTask } from "./memory-task.js";

/** Tasks in a block at most. Within a block tasks are moved about; the number of blocks is what ranks are counted by. */
const FULL = 512;

/** A block with fewer tasks than this is joined to its neighbour. */
const SPARSE = 128;

/**
 * Tasks by status timestamp, then id, both ascending: sorted blocks. Finding, inserting and removing cost a binary search
 * and a short move; how many tasks lie before a place is known without looking at them. A task is removed before its
 * timestamp changes and inserted again afterwards.
 */
export class TaskOrder {
  readonly #blocks: MemoryTask[][] = [];
  #size = 0;

  constructor(tasks: Iterable<MemoryTask> = []) {
    const sorted = [...tasks].sort((a, b) => compare(a, b.timestamp, b.id));
    for (let from = 0; from < sorted.length; from += FULL) this.#blocks.push(sorted.slice(from, from + FULL));
    this.#size = sorted.length;
  }

  get size(): number {
    return this.#size;
  }

  insert(task: MemoryTask): void {
    const { timestamp, id } = task;
    const at = this.#block(timestamp, id);
    const block = this.#blocks[at] ?? this.#blocks.at(-1);
    this.#size += 1;
    if (block === undefined || (at === this.#blocks.length && block.length === FULL)) {
      this.#blocks.push([task]);
      return;
    }
    block.splice(lowerBound(block, timestamp, id), 0, task);
    if (block.length > FULL) this.#blocks.splice(at + 1, 0, block.splice(FULL / 2));
  }

  remove(task: MemoryTask): void {
    const { timestamp, id } = task;
    const at = this.#block(timestamp, id);
    const block = this.#blocks[at];
    const place = block === undefined ? -1 : lowerBound(block, timestamp, id);
    if (block?.[place] !== task) throw new Error(`Task ${id} is not where its timestamp says`);
    block.splice(place, 1);
    this.#size -= 1;
    if (block.length < SPARSE) this.#join(at, block);
  }

  /** How many tasks come before a place, whether or not there is a task at it. */
  rank(timestamp: string, taskId: string): number {
    const at = this.#block(timestamp, taskId);
    let end = this.#size;
    for (let index = this.#blocks.length - 1; index >= at; index -= 1)
      end -= this.#blocks[index]?.length ?? 0;
    const block = this.#blocks[at];
    return block === undefined ? end : end + lowerBound(block, timestamp, taskId);
  }

  /** Tasks from rank `from` up to, not including, rank `to`, the last of them first. */
  backwards(from: number, to: number): MemoryTask[] {
    const tasks: MemoryTask[] = [];
    let end = this.#size;
    // From the end, where the first pages of lists are.
    for (let index = this.#blocks.length - 1; index >= 0 && end > from; index -= 1) {
      const block = this.#blocks[index] ?? [];
      const start = end - block.length;
      for (let rank = Math.min(end, to) - 1; rank >= Math.max(start, from); rank -= 1) {
        const task = block[rank - start];
        if (task !== undefined) tasks.push(task);
      }
      end = start;
    }
    return tasks;
  }

  *[Symbol.iterator](): IterableIterator<MemoryTask> {
    for (const block of this.#blocks) yield* block;
  }

  /** The first block that reaches up to a place; the number of blocks when none does. */
  #block(timestamp: string, taskId: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#blocks[middle]?.at(-1);
      if (last !== undefined && compare(last, timestamp, taskId) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #join(at: number, block: MemoryTask[]): void {
    const next = this.#blocks[at + 1];
    if (block.length === 0) this.#blocks.splice(at, 1);
    else if (next !== undefined && block.length + next.length <= FULL) {
      this.#blocks.splice(at, 2, [...block, ...next]);
    }
  }
}

function compare(task: MemoryTask, timestamp: string, taskId: string): number {
  const order = compareTimestamps(task.timestamp, timestamp);
  if (order !== 0) return order;
  const { id } = task;
  return id < taskId ? -1 : id > taskId ? 1 : 0;
}

/** The first place in a block whose task is not before (timestamp, id). */
function lowerBound(block: readonly MemoryTask[], timestamp: string, taskId: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const task = block[middle];
    if (task !== undefined && compare(task, timestamp, taskId) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
