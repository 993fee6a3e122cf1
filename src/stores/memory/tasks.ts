import { keyInScope, type Scope, type StoredEntry } from "../task-store.js";
import { MemoryTask } from "./memory-task.js";
import type { Owner } from "./owner.js";
import { TaskIndex } from "./task-order.js";

/** The tasks of one scope by id, and their order. */
class ScopeTasks {
  readonly byId = new Map<string, MemoryTask>();
  readonly index = new TaskIndex(this.byId);
  /** Key of the scope; all tasks of the scope share this string. */
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }
}

const noScope: Scope = { agent: "", tenant: "", owner: "" };

/** The tasks of a memory store by scope and id, with their order in each scope. */
export class Tasks {
  readonly #scopes = new Map<string, ScopeTasks>();
  /** The last scope used and its key, which need not be built again for calls with the same scope. */
  #last: Scope & { readonly key: string } = { ...noScope, key: keyInScope(noScope, "") };
  #size = 0;

  /** Number of tasks in all scopes. */
  get size(): number {
    return this.#size;
  }

  find(scope: Scope, taskId: string): MemoryTask | undefined {
    return this.#scopes.get(this.#keyOf(scope))?.byId.get(taskId);
  }

  /** The order of a scope's tasks; undefined if the scope has no tasks. */
  indexOf(scope: Scope): TaskIndex | undefined {
    return this.#scopes.get(this.#keyOf(scope))?.index;
  }

  /** Adds a task with its first entries. */
  create(scope: Scope, taskId: string, owner: Owner, entries: readonly StoredEntry[]): MemoryTask {
    const key = this.#keyOf(scope);
    const tasks = this.#scopes.get(key) ?? new ScopeTasks(key);
    const task = new MemoryTask(tasks.key, owner);
    task.append(entries);
    this.#scopes.set(key, tasks);
    tasks.byId.set(taskId, task);
    tasks.index.add(task);
    this.#size += 1;
    return task;
  }

  /** Appends entries to a task and, if they include a status update, moves it in the order of its scope. */
  write(task: MemoryTask, entries: readonly StoredEntry[]): void {
    const index = this.#scopes.get(task.scopeKey)?.index;
    const moves = index?.used && entries.some(({ event }) => event.statusUpdate !== undefined);
    if (moves) index.remove(task);
    task.append(entries);
    if (moves) index.add(task);
  }

  remove(task: MemoryTask): void {
    const tasks = this.#scopes.get(task.scopeKey);
    tasks?.index.remove(task);
    tasks?.byId.delete(task.id);
    if (tasks?.byId.size === 0) this.#scopes.delete(task.scopeKey);
    this.#size -= 1;
  }

  /** Deletes all tasks and notifies their listeners. */
  clear(): void {
    const scopes = [...this.#scopes.values()];
    this.#scopes.clear();
    this.#size = 0;
    for (const { byId } of scopes) for (const task of byId.values()) task.notify([]);
  }

  #keyOf({ agent, tenant, owner }: Scope): string {
    const last = this.#last;
    if (last.agent === agent && last.tenant === tenant && last.owner === owner) return last.key;
    const key = keyInScope({ agent, tenant, owner }, "");
    this.#last = { agent, tenant, owner, key };
    return key;
  }
}
