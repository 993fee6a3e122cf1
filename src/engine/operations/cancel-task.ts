import { DeadlineExceeded } from "../../async/deadlines.js";
import { callHook } from "../../async/hook.js";
import { redactedError, redactionFor } from "../../auth/redaction.js";
import type { CallContext } from "../../protocol/call-context.js";
import { A2AError } from "../../protocol/errors.js";
import { isTerminal } from "../../protocol/lifecycle.js";
import type { CancelTaskRequest, Task } from "../../protocol/model.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { GenerationConflict, type TaskSnapshot } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";
import { Execution } from "../execution/execution.js";
import type { Executions } from "../execution/executions.js";
import { answerWith, loadTask, logFor, type TaskLog } from "../task-log.js";

/**
 * CancelTask (§3.1.5): calls the agent's `cancel` hook, ends the task as CANCELED, and aborts the signal of its executor.
 * Overlapping requests to this process for the same task share one attempt, so the hook is called once.
 */
export class CancelTask {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #underWay = new Map<string, Promise<TaskSnapshot>>();

  constructor(options: EngineOptions, executions: Executions) {
    this.#options = options;
    this.#executions = executions;
  }

  /**
   * Cancels a task.
   * @returns the canceled task
   * @throws A2AError TASK_NOT_FOUND; TASK_NOT_CANCELABLE if the task has ended (but not if it is CANCELED and the agent sets
   * `repeatableCancel`), or if the hook throws or does not return in time; INVALID_PARAMS for metadata that an extension's schema rejects;
   * what `scopeOf` or the store throws; the error of `ExtensionRules.ready`
   */
  async cancel(request: CancelTaskRequest, call: CallContext): Promise<Task> {
    await this.#options.extensions?.checkRequest(request, call);
    const log = logFor(this.#options, call, request.id);
    const { key } = log;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return answerWith(await underWay, call, undefined);
    const attempt = this.#attempt(log, request, call).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, attempt);
    return answerWith(await attempt, call, undefined);
  }

  async #attempt(log: TaskLog, request: CancelTaskRequest, call: CallContext): Promise<TaskSnapshot> {
    const { agent } = this.#options;
    let asked = false;
    for (;;) {
      const snapshot = await loadTask(log);
      const { contextId = "", status } = snapshot.task;
      if (status.state === "TASK_STATE_CANCELED" && agent.repeatableCancel) return snapshot;
      if (isTerminal(status.state)) {
        const metadata = { taskId: request.id, state: status.state };
        throw new A2AError("TASK_NOT_CANCELABLE", undefined, { metadata });
      }
      if (!asked) await this.#ask(snapshot.task, request, call);
      asked = true;
      // An execution on another node finds the cancellation in the log.
      const execution =
        this.#executions.ofStoredTask(log) ?? new Execution(this.#options, { log, contextId, snapshot });
      try {
        if (await execution.cancel(call.trace)) return await loadTask(log);
      } catch (error) {
        // Another writer was first, or the lease is lost: start again with the current task.
        if (!(error instanceof GenerationConflict || error instanceof LeaseConflict)) throw error;
      }
    }
  }

  /**
   * Calls the agent's `cancel` hook.
   * @throws A2AError TASK_NOT_CANCELABLE if the hook throws or does not return in time. The caller sees the message of what it throws only
   * if that is an A2AError other than INTERNAL_ERROR
   */
  async #ask(task: Task, request: CancelTaskRequest, call: CallContext): Promise<void> {
    const { agent, logger, hookTimeout } = this.#options;
    const ask = () => agent.cancel?.({ task, metadata: request.metadata ?? {}, call });
    await callHook({ call: ask, hookTimeout }, (error) => {
      const known = A2AError.from(error);
      const isForCaller = known.code !== "INTERNAL_ERROR";
      const metadata = { taskId: task.id };
      if (error instanceof DeadlineExceeded) {
        logger.error({ err: error, hook: "cancel", ...metadata }, "A hook failed");
      } else if (!isForCaller) {
        // The error may contain the caller's credentials.
        const err = redactedError(error, redactionFor(call));
        logger.info({ err, ...metadata }, "A task was not canceled because the hook threw");
      }
      const message = isForCaller ? known.message : undefined;
      throw new A2AError("TASK_NOT_CANCELABLE", message, { metadata, cause: error });
    });
  }
}
