import { valueSize } from "../json/value-size.js";
import { isLonger } from "../protocol/byte-length.js";
import type { CallContext } from "../protocol/call-context.js";
import { clientError } from "../protocol/errors.js";
import { withGeneration } from "../protocol/generations.js";
import type { Task } from "../protocol/model.js";
import { keyInScope, type Scope, type TaskSnapshot, type TaskStore } from "../stores/task-store.js";
import { TaskFold } from "../task-log/fold.js";
import { readLog } from "../task-log/follow.js";
import { limitHistory } from "../task-log/history.js";

/** The address of one task's log: its store, scope and task id. */
export class TaskLog {
  readonly store: TaskStore;
  readonly scope: Scope;
  #id: string | (() => string);
  #key: string | undefined;
  #onNamed: (() => void) | undefined;

  /** @param id the task id, or a function that creates it when it is first read: many messages are answered without a task */
  constructor(store: TaskStore, scope: Scope, id: string | (() => string)) {
    this.store = store;
    this.scope = scope;
    this.#id = id;
  }

  /** Id of the task. The first read creates it if the constructor got a function. */
  get taskId(): string {
    if (typeof this.#id === "string") return this.#id;
    const id = this.#id();
    this.#id = id;
    this.#onNamed?.();
    return id;
  }

  /** Whether the task has an id. While it has none, no request can refer to it. */
  get isNamed(): boolean {
    return typeof this.#id === "string";
  }

  /** Calls a function as soon as the task has an id. Keeps only one function until then, the last. */
  whenNamed(call: () => void): void {
    if (this.isNamed) call();
    else this.#onNamed = call;
  }

  /** Key of the task among all tasks. It is cached, because a newly concatenated string would have to be hashed again. */
  get key(): string {
    this.#key ??= keyInScope(this.scope, this.taskId);
    return this.#key;
  }
}

/** Determines which tasks a call can access. */
export interface TaskAccess {
  readonly store: TaskStore;
  /** The scope of a caller: the tasks outside it do not exist for this caller. Throws, for example, if `auth.scope` refuses the caller. */
  readonly scopeOf: (call: CallContext) => Scope;
  /** Maximum bytes of ids that callers choose; absent for no limit. */
  readonly maxName?: number;
}

/**
 * The log of a task in the caller's scope. Does not read the store.
 * @param id the task id, or a function that creates it when it is first read
 * @throws A2AError TASK_NOT_FOUND if the id is longer than the limit of stored ids; what `scopeOf` throws
 */
export function logFor(
  { store, scopeOf, maxName = Infinity }: TaskAccess,
  call: CallContext,
  id: string | (() => string),
): TaskLog {
  if (typeof id === "string" && isLonger(id, maxName)) throw clientError("TASK_NOT_FOUND");
  return new TaskLog(store, scopeOf(call), id);
}

/**
 * Loads the latest snapshot of a task.
 * @throws A2AError TASK_NOT_FOUND if the scope has no such task; what the store throws
 */
export async function loadTask({ store, scope, taskId }: TaskLog): Promise<TaskSnapshot> {
  const snapshot = await store.load(scope, taskId);
  if (snapshot === undefined) throw clientError("TASK_NOT_FOUND", undefined, { metadata: { taskId } });
  return snapshot;
}

/**
 * A task as the answer of an operation, with the requested length of its history (§3.2.4) and, for callers whose version has generations,
 * its generation.
 */
export function answerWith(
  { task, generation }: TaskSnapshot,
  { generations }: CallContext,
  historyLength: number | undefined,
): Task {
  const shown = limitHistory(task, historyLength);
  return generations ? withGeneration(shown, generation) : shown;
}

/** Approximate size of a task that was just loaded, in bytes: as stored, or in memory if the store does not know it. */
export function taskSize(
  { store, scope, taskId }: Pick<TaskLog, "store" | "scope" | "taskId">,
  task: Task,
): number {
  return store.sizeOf?.(scope, taskId) ?? valueSize(task);
}

/**
 * The task as of a generation; `latest` if the log was compacted or has no such generation.
 * @param latest the snapshot that {@link loadTask} has returned
 * @throws what the store throws
 */
export async function taskAt(log: TaskLog, generation: number, latest: TaskSnapshot): Promise<TaskSnapshot> {
  if (latest.generation === generation) return latest;
  const fold = new TaskFold();
  for await (const entries of readLog(log.store, log.scope, log.taskId, 0)) {
    for (const entry of entries) {
      fold.apply(entry);
      if (fold.generation === generation) return fold.snapshot();
    }
  }
  return latest;
}
