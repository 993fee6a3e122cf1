import type { CallContext } from "../call.js";
import type { Execution } from "./execution.js";
import type { TaskLog } from "./task-log.js";
import type { Turn } from "./turn.js";

/** Gives its place back. */
type Leave = () => void;

/** Where executions get a place before they begin, so that no more are at work than may be. */
export interface Places {
  /**
   * Takes a place, or waits for one.
   * @throws A2AError RATE_LIMITED when the caller has as many as it may, UNAVAILABLE when there are none left
   */
  enter(call: CallContext): Leave | Promise<Leave>;
}

/** The executions that are at work in this process, one per task at most. */
export class Executions {
  readonly #byTask = new Map<string, Execution>();
  readonly #places: Places | undefined;
  #onIdle: (() => void) | undefined;

  /** @param places without them any number may be at work */
  constructor(places?: Places) {
    this.#places = places;
  }

  /** How many there are. */
  get size(): number {
    return this.#byTask.size;
  }

  /** The execution that writes a log here; one that lost the log to another writer does not count. */
  live(log: TaskLog): Execution | undefined {
    const execution = this.#byTask.get(keyOf(log));
    return execution?.lost ? undefined : execution;
  }

  /**
   * Takes a place for an execution that is to begin.
   * @throws A2AError RATE_LIMITED, UNAVAILABLE
   */
  enter(call: CallContext): Leave | Promise<Leave> | undefined {
    return this.#places?.enter(call);
  }

  /** Lets an execution run until it takes no more messages, and gives its place back then. */
  start(execution: Execution, leave: Leave | undefined, opening?: Turn): void {
    const key = keyOf(execution.log);
    this.#byTask.set(key, execution);
    void execution.run(opening).then(() => {
      leave?.();
      if (this.#byTask.get(key) === execution) this.#byTask.delete(key);
      if (this.#byTask.size === 0) this.#onIdle?.();
    });
  }

  /** Resolves when none is at work. */
  idle(): Promise<void> {
    if (this.#byTask.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
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

/** One text for a task of a scope: lengths go first. Agents have executions of their own. */
export function keyOf({ scope, taskId }: Pick<TaskLog, "scope" | "taskId">): string {
  const { tenant, owner } = scope;
  return `${tenant.length}:${owner.length}:${tenant}${owner}${taskId}`;
}
