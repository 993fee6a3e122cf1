import { DeadlineExceeded } from "../../async/deadlines.js";
import { callHook } from "../../async/hook.js";
import type { CallContext } from "../../protocol/call-context.js";
import { A2AError } from "../../protocol/errors.js";
import { isTerminal } from "../../protocol/lifecycle.js";
import type { CancelTaskRequest, Task } from "../../protocol/model.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { GenerationConflict } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";
import { Execution } from "../execution/execution.js";
import { type Executions, keyOf } from "../execution/executions.js";
import { loadTask, type TaskLog } from "../task-log.js";

/** Cancels tasks. Attempts at the same task that are under way at once are one attempt (OP-CANCEL-09). */
export class CancelTask {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #underWay = new Map<string, Promise<Task>>();

  constructor(options: EngineOptions, executions: Executions) {
    this.#options = options;
    this.#executions = executions;
  }

  /**
   * @returns the canceled task
   * @throws A2AError TASK_NOT_FOUND, TASK_NOT_CANCELABLE
   */
  cancel(log: TaskLog, request: CancelTaskRequest, call: CallContext): Promise<Task> {
    const key = keyOf(log);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const attempt = this.#attempt(log, request, call).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, attempt);
    return attempt;
  }

  async #attempt(log: TaskLog, request: CancelTaskRequest, call: CallContext): Promise<Task> {
    const { agent } = this.#options;
    let asked = false;
    for (;;) {
      const snapshot = await loadTask(log);
      const { contextId = "", status } = snapshot.task;
      if (status.state === "TASK_STATE_CANCELED" && agent.repeatableCancel) return snapshot.task;
      if (isTerminal(status.state)) {
        const metadata = { taskId: request.id, state: status.state };
        throw new A2AError("TASK_NOT_CANCELABLE", undefined, { metadata });
      }
      if (!asked) await this.#ask(snapshot.task, request, call);
      asked = true;
      // One elsewhere finds the cancellation in the log.
      const execution =
        this.#executions.live(log) ?? new Execution({ log, contextId, ...this.#options }, snapshot);
      try {
        await execution.cancel(call.trace);
        return (await loadTask(log)).task;
      } catch (error) {
        // Another writer was first: look at the task again.
        if (!(error instanceof GenerationConflict || error instanceof LeaseConflict)) throw error;
      }
    }
  }

  async #ask(task: Task, request: CancelTaskRequest, call: CallContext): Promise<void> {
    const { agent, logger, patience } = this.#options;
    const ask = () => agent.cancel?.({ task, metadata: request.metadata ?? {}, call });
    await callHook({ call: ask, patience }, (error) => {
      const known = A2AError.from(error);
      const isForCaller = known.code !== "INTERNAL_ERROR";
      const metadata = { taskId: task.id };
      if (error instanceof DeadlineExceeded) {
        logger.error({ err: error, hook: "cancel", ...metadata }, "A hook failed");
      } else if (!isForCaller) {
        logger.info({ err: error, ...metadata }, "A task was not canceled because the hook threw");
      }
      const message = isForCaller ? known.message : undefined;
      throw new A2AError("TASK_NOT_CANCELABLE", message, { metadata, cause: error });
    });
  }
}
