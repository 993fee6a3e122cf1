import { LinkedList } from "../../collections/linked-list.js";
import { ShortLivedMap } from "../../collections/short-lived-map.js";
import type { CallContext } from "../../protocol/call-context.js";
import { A2AError, RETRY_SECONDS } from "../../protocol/errors.js";
import type { EngineOptions, ExecutorSlot } from "../engine-options.js";
import type { TaskLog } from "../task-log.js";
import type { Execution } from "./execution.js";
import type { Invocation } from "./invocation.js";

/** The running executions of one agent in this process. */
export class Executions {
  readonly #running = new LinkedList<Execution>();
  /** The running execution of each task that has an id; the last one if there are several. */
  readonly #byTask = new ShortLivedMap<Execution>();
  readonly #options: EngineOptions;
  /** Shared by all callers of {@link idle}; undefined while no caller waits. */
  #idle: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;
  #isClosed = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** The execution of a task; undefined if there is none, or if it has ended or can no longer write its log. The task may have ended. */
  live(log: TaskLog): Execution | undefined {
    const execution = log.isNamed ? this.#byTask.get(log.key) : undefined;
    return execution?.isClosed ? undefined : execution;
  }

  /**
   * The execution of a task that is in the store, as {@link live} returns it. Undefined also if the execution has written nothing: another
   * node has then created the task, and the first entry of the execution will be refused.
   */
  ofStoredTask(log: TaskLog): Execution | undefined {
    const execution = this.live(log);
    return execution?.hasWritten ? execution : undefined;
  }

  /**
   * Takes a slot for the execution of a message; undefined if the number of executions is not limited.
   * @throws A2AError RATE_LIMITED, UNAVAILABLE as the limiter does; UNAVAILABLE after {@link close}, also if the wait began before
   */
  acquireSlot(call: CallContext): ExecutorSlot | Promise<ExecutorSlot> | undefined {
    if (this.#isClosed) throw closed();
    const slot = this.#options.executorLimiter?.acquire(call);
    return slot instanceof Promise ? slot.then(this.#unlessClosed) : slot;
  }

  readonly #unlessClosed = (slot: ExecutorSlot): ExecutorSlot => {
    if (!this.#isClosed) return slot;
    slot.release();
    throw closed();
  };

  /**
   * Runs an execution until it has ended, and then frees its slot.
   * @param opening the first message, unless it is in the inbox already
   */
  start(execution: Execution, slot: ExecutorSlot | undefined, opening?: Invocation): void {
    const { log } = execution;
    const link = this.#running.add(execution);
    log.whenNamed(() => {
      // The id may be read for the first time after the end.
      if (!execution.isClosed) this.#byTask.set(log.key, execution);
    });
    let ended: (() => void) | undefined;
    execution.onStop((reason) => {
      ended = this.#abandonLater(execution, slot, reason);
    });
    if (opening) execution.open(opening);
    void execution.run().then(() => {
      ended?.();
      slot?.release();
      this.#running.remove(link);
      if (log.isNamed && this.#byTask.get(log.key) === execution) this.#byTask.delete(log.key);
      if (this.#running.size === 0) this.#onIdle?.();
    });
  }

  /**
   * Calls `abandon` of the slot if the execution has not ended within the stop time.
   * @returns a function that cancels this; undefined if there is no slot or no limit on the stop time
   */
  #abandonLater({ log: { taskId } }: Execution, slot: ExecutorSlot | undefined, reason: string) {
    const { executorLimiter, clock, logger } = this.#options;
    if (
      slot === undefined ||
      executorLimiter === undefined ||
      executorLimiter.stopTime === Number.POSITIVE_INFINITY
    )
      return;
    return clock.schedule(executorLimiter.stopTime, () => {
      slot.abandon();
      const seconds = executorLimiter.stopTime / 1000;
      logger.warn(
        { taskId, reason, seconds },
        "An execution has not ended after its signal aborted: pass the signal to everything that the executor awaits",
      );
    });
  }

  /** Resolves when there is no execution. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    this.#idle ??= new Promise((resolve) => {
      this.#onIdle = () => {
        this.#idle = undefined;
        this.#onIdle = undefined;
        resolve();
      };
    });
    return this.#idle;
  }

  /**
   * Stops all executions, and refuses slots to new messages.
   * @returns a promise that resolves when the earlier updates of the executors are durable, or can no longer be written
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#running, (execution) => execution.stop()));
  }
}

function closed(): A2AError {
  return new A2AError("UNAVAILABLE", undefined, { retryAfter: RETRY_SECONDS });
}
