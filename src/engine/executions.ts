import type { Execution } from "./execution.js";
import type { TaskLog } from "./task-log.js";
import type { Turn } from "./turn.js";

/** The executions that are at work in this process, one per task at most. */
export class Executions {
  readonly #byTask = new Map<string, Execution>();

  /** How many there are. */
  get size(): number {
    return this.#byTask.size;
  }

  /** The execution that writes a log here; one that lost the log to another writer does not count. */
  live(log: TaskLog): Execution | undefined {
    const execution = this.#byTask.get(keyOf(log));
    return execution?.lost ? undefined : execution;
  }

  /** Lets an execution run until it takes no more messages. */
  start(execution: Execution, opening?: Turn): void {
    const key = keyOf(execution.log);
    this.#byTask.set(key, execution);
    void execution.run(opening).finally(() => {
      if (this.#byTask.get(key) === execution) this.#byTask.delete(key);
    });
  }

  /**
   * Stops all of them without giving their tasks a state (STR-17).
   * @returns when everything that they had yielded is durable
   */
  async close(): Promise<void> {
    await Promise.all([...this.#byTask.values()].map((execution) => execution.stop()));
  }
}

/** One text for a task of a scope; agents have executions of their own. */
export function keyOf({ scope, taskId }: TaskLog): string {
  return JSON.stringify([scope.tenant, scope.owner, taskId]);
}
