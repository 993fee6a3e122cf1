import type { TaskState } from "../../model.js";
import type { TaskPage, TaskQuery } from "../task-store.js";
import { MemoryTask } from "./memory-task.js";
import { TaskOrder } from "./task-order.js";

/** A group of tasks in order, and on demand those of each state. */
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
 * The order of a scope's tasks, as a whole, by context and by state. Each part is built when a list first asks for it and
 * kept up from then on; whoever never lists pays nothing. A context with a single task, the most common kind, is that task.
 */
export class TaskIndex {
  readonly #tasks: ReadonlyMap<string, MemoryTask>;
  #all: TaskGroup | undefined;
  #contexts: Map<string, TaskGroup | MemoryTask> | undefined;

  constructor(tasks: ReadonlyMap<string, MemoryTask>) {
    this.#tasks = tasks;
  }

  /** Whether there is anything to keep up. */
  get used(): boolean {
    return this.#all !== undefined || this.#contexts !== undefined;
  }

  add(task: MemoryTask): void {
    this.#all?.add(task);
    if (this.#contexts !== undefined) addTo(this.#contexts, task);
  }

  /** Takes a task out; called before its status changes. */
  remove(task: MemoryTask): void {
    this.#all?.remove(task);
    const { contextId } = task;
    if (contextId === undefined || this.#contexts === undefined) return;
    const group = this.#contexts.get(contextId);
    if (group instanceof TaskGroup && group.size > 1) group.remove(task);
    else this.#contexts.delete(contextId);
  }

  /** One page (OP-LIST-06 to OP-LIST-12, PAGE-09): the cost is that of the page, however many tasks there are. */
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
