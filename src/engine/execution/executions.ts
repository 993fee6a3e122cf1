import type { Clock } from "../../async/clock.js";
import type { CallContext } from "../../protocol/call-context.js";
import type { Logger } from "../../protocol/logger.js";
import type { Places, WorkPlace } from "../engine-options.js";
import { keyOf, type TaskLog } from "../task-log.js";
import type { Execution } from "./execution.js";
import type { Invocation } from "./invocation.js";

/** What {@link Executions} work with. */
export interface ExecutionsOptions {
  /** Without them any number may be at work. */
  readonly places?: Places;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The executions that are at work in this process, one per task at most. */
export class Executions {
  readonly #byTask = new Map<string, Execution>();
  readonly #options: ExecutionsOptions;
  #onIdle: (() => void) | undefined;

  constructor(options: ExecutionsOptions) {
    this.#options = options;
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
  enter(call: CallContext): WorkPlace | Promise<WorkPlace> | undefined {
    return this.#options.places?.enter(call);
  }

  /** Lets an execution run until it takes no more messages, and gives its place back then. */
  start(execution: Execution, place: WorkPlace | undefined, opening?: Invocation): void {
    const key = keyOf(execution.log);
    this.#byTask.set(key, execution);
    let ended: (() => void) | undefined;
    execution.onStop((reason) => {
      ended = this.#abandonLater(execution, place, reason);
    });
    void execution.run(opening).then(() => {
      ended?.();
      place?.leave();
      if (this.#byTask.get(key) === execution) this.#byTask.delete(key);
      if (this.#byTask.size === 0) this.#onIdle?.();
    });
  }

  /**
   * Gives an executor that was told to stop its time to end.
   * @returns to be called when it has ended
   */
  #abandonLater({ log: { taskId } }: Execution, place: WorkPlace | undefined, reason: string) {
    const { places, clock, logger } = this.#options;
    if (place === undefined || places === undefined || places.stopTime === Number.POSITIVE_INFINITY) return;
    return clock.schedule(places.stopTime, () => {
      place.abandon();
      const seconds = places.stopTime / 1000;
      logger.warn(
        { taskId, reason, seconds },
        "An executor goes on although it was told to stop: pass its signal on",
      );
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
