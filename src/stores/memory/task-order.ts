import type { TaskState } from "../../protocol/model.js";
import type { TaskPage, TaskQuery } from "../task-store.js";
import { compareTimestamps } from "../timestamp-order.js";
import { MemoryTask } from "./memory-task.js";

/** Maximum number of tasks in a block. Larger blocks make insertions more expensive; more blocks make ranks more expensive. */
const FULL = 512;

/** A block that a removal leaves with fewer tasks is merged with the next one, if the two together do not exceed {@link FULL}. */
const SPARSE = 128;

/**
 * Tasks by status timestamp and id, both ascending, in sorted blocks. Inserting and removing usually cost two binary searches and a move
 * within one block. The rank of a position costs two binary searches and a sum over blocks. A task must be removed before its timestamp
 * changes and inserted again afterwards.
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

  /** @throws Error when the task is not at the position of its timestamp */
  remove(task: MemoryTask): void {
    const { timestamp, id } = task;
    const at = this.#block(timestamp, id);
    const block = this.#blocks[at];
    const position = block === undefined ? -1 : lowerBound(block, timestamp, id);
    if (block?.[position] !== task) throw new Error(`Task ${id} is not at the position of its timestamp`);
    block.splice(position, 1);
    this.#size -= 1;
    if (block.length < SPARSE) this.#join(at, block);
  }

  /** Number of tasks before a position, whether or not a task is at it. */
  rank(timestamp: string, taskId: string): number {
    const at = this.#block(timestamp, taskId);
    let end = this.#size;
    for (let index = this.#blocks.length - 1; index >= at; index -= 1)
      end -= this.#blocks[index]?.length ?? 0;
    const block = this.#blocks[at];
    return block === undefined ? end : end + lowerBound(block, timestamp, taskId);
  }

  /** Tasks with ranks from `from` (inclusive) to `to` (exclusive), in descending order. */
  backwards(from: number, to: number): MemoryTask[] {
    const tasks: MemoryTask[] = [];
    let end = this.#size;
    // Starts at the end, because lists begin with the newest tasks.
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

  /** Index of the first block whose last task is at or after a position; the number of blocks if there is none. */
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

/** Index of the first task of a block that is at or after a position; the length of the block if there is none. */
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

/** A group of tasks in order: all together and, once needed, by state. */
class TaskGroup {
  readonly #all: TaskOrder;
  #states: Map<TaskState, TaskOrder> | undefined;

  constructor(tasks: Iterable<MemoryTask>) {
    this.#all = new TaskOrder(tasks);
  }

  get size(): number {
    return this.#all.size;
  }

  add(task: MemoryTask): void {
    this.#all.insert(task);
    if (this.#states === undefined) return;
    const { state } = task.status;
    const order = this.#states.get(state);
    if (order === undefined) this.#states.set(state, new TaskOrder([task]));
    else order.insert(task);
  }

  remove(task: MemoryTask): void {
    this.#all.remove(task);
    this.#states?.get(task.status.state)?.remove(task);
  }

  order(state: TaskState | undefined): TaskOrder {
    if (state === undefined) return this.#all;
    if (this.#states === undefined) {
      const byState = new Map<TaskState, MemoryTask[]>();
      for (const task of this.#all) {
        const tasks = byState.get(task.status.state);
        if (tasks === undefined) byState.set(task.status.state, [task]);
        else tasks.push(task);
      }
      this.#states = new Map([...byState].map(([key, tasks]) => [key, new TaskOrder(tasks)]));
    }
    return this.#states.get(state) ?? new TaskOrder();
  }
}

/**
 * The order of a scope's tasks: all together, by context and by state. Each part is built when a list first needs it and updated from then
 * on, so a scope that is never listed has none. A context with one task may be represented by the task instead of a group.
 */
export class TaskIndex {
  readonly #tasks: ReadonlyMap<string, MemoryTask>;
  #all: TaskGroup | undefined;
  #contexts: Map<string, TaskGroup | MemoryTask> | undefined;

  constructor(tasks: ReadonlyMap<string, MemoryTask>) {
    this.#tasks = tasks;
  }

  /** Whether any part is built and has to be updated. */
  get used(): boolean {
    return this.#all !== undefined || this.#contexts !== undefined;
  }

  add(task: MemoryTask): void {
    this.#all?.add(task);
    if (this.#contexts !== undefined) addTo(this.#contexts, task);
  }

  /** Removes a task. Must be called before its status changes. */
  remove(task: MemoryTask): void {
    this.#all?.remove(task);
    const { contextId } = task;
    if (contextId === undefined || this.#contexts === undefined) return;
    const group = this.#contexts.get(contextId);
    if (group instanceof TaskGroup && group.size > 1) group.remove(task);
    else this.#contexts.delete(contextId);
  }

  /** Returns one page (§3.1.4). */
  page({ contextId, status, statusTimestampAfter, position, pageSize }: TaskQuery): TaskPage {
    const order = this.#group(contextId).order(status);
    const first = statusTimestampAfter === undefined ? 0 : order.rank(statusTimestampAfter, "");
    const end = position === undefined ? order.size : order.rank(position.timestamp, position.taskId);
    const start = Math.max(end - pageSize, first);
    const found = order.backwards(start, end);
    const last = found.at(-1);
    let bytes = 0;
    for (const task of found) bytes += task.bytes;
    return {
      bytes,
      tasks: found.map(({ task }) => task),
      generations: found.map(({ generation }) => generation),
      ...(last !== undefined && start > first && { next: { timestamp: last.timestamp, taskId: last.id } }),
      totalSize: order.size - first,
    };
  }

  #group(contextId: string | undefined): TaskGroup {
    if (contextId === undefined) {
      this.#all ??= new TaskGroup(this.#tasks.values());
      return this.#all;
    }
    if (this.#contexts === undefined) {
      this.#contexts = new Map();
      for (const task of this.#tasks.values()) addTo(this.#contexts, task);
    }
    const group = this.#contexts.get(contextId);
    return group instanceof TaskGroup ? group : new TaskGroup(group === undefined ? [] : [group]);
  }
}

function addTo(contexts: Map<string, TaskGroup | MemoryTask>, task: MemoryTask): void {
  const { contextId } = task;
  if (contextId === undefined) return;
  const group = contexts.get(contextId);
  if (group === undefined) contexts.set(contextId, task);
  else if (group instanceof MemoryTask) contexts.set(contextId, new TaskGroup([group, task]));
  else group.add(task);
}
