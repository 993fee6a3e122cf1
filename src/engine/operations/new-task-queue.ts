import { runtime } from "#runtime";
import type { SendOutcome } from "../../stores/send-ledger.js";
import { GenerationConflict } from "../../stores/task-store.js";
import type { Execution } from "../execution/execution.js";
import type { TaskLog } from "../task-log.js";

/** A message that begins a task, and for which others with the same task id may wait. */
export interface NewTask {
  readonly execution: Execution;
  readonly outcome: Promise<SendOutcome>;
  /** Whether an earlier message has created the task, or may have: the execution does not begin then. */
  isTooLate: boolean;
}

/** The first message of an execution, for others to wait for; undefined without an execution. */
export function newTaskOf(execution: Execution | undefined): NewTask | undefined {
  return execution && { execution, outcome: execution.outcome, isTooLate: false };
}

/**
 * Messages that begin a task with the same id: each one waits for the outcome of the one before it. Once there is a task, those that wait
 * continue it. If a message is refused and has created no task, the next one begins the task.
 */
export class NewTaskQueue {
  /** The last message that waits, by the key of the log. */
  readonly #last = new Map<string, NewTask>();

  /** The message for which the next one with this task id has to wait; undefined if no message waits. */
  last(log: TaskLog): NewTask | undefined {
    return this.#last.size > 0 && log.isNamed ? this.#last.get(log.key) : undefined;
  }

  /**
   * Waits for the message before this one.
   * @param begin begins the task with this message
   * @returns the outcome of `begin`
   * @throws GenerationConflict if the task exists; the error of the message before it, if the task may exist; what `begin` throws
   */
  wait(
    before: NewTask,
    execution: Execution,
    begin: (refused: Execution) => Promise<SendOutcome>,
  ): Promise<SendOutcome> {
    const { key, taskId } = execution.log;
    const outcome = before.outcome.then(
      () => {
        waiting.isTooLate = true;
        throw new GenerationConflict(taskId, 0, 1);
      },
      async (error: unknown) => {
        waiting.isTooLate = before.isTooLate || before.execution.hasWritten;
        if (waiting.isTooLate) throw error;
        // The slot of the refused message is freed at the end of its execution, right after its outcome.
        await new Promise<void>(runtime.afterEvents);
        return begin(before.execution);
      },
    );
    const waiting: NewTask = { execution, outcome, isTooLate: false };
    this.#last.set(key, waiting);
    const leave = (): void => {
      if (this.#last.get(key) === waiting) this.#last.delete(key);
    };
    outcome.then(leave, leave);
    return outcome;
  }
}
