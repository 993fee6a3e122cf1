import type { Open, Received, Task, TaskState } from "../protocol/model.js";
import { textOf } from "../protocol/parts.js";

/**
 * Thrown when a skill returned no output: its task failed, was refused or waits for its caller, or the agent returned only text.
 * @example `if (error instanceof SkillError && error.state === "TASK_STATE_INPUT_REQUIRED") ask(error.text);`
 */
export class SkillError extends Error {
  override readonly name = "SkillError";
  /** State of the task; undefined when the agent created none. */
  readonly state: Open<TaskState> | undefined;
  /** The task, to continue the call: `skill.reply(error.task, …)` when it waits for input. */
  readonly task: Received<Task> | undefined;
  /** The agent's text. */
  readonly text: string;

  constructor(
    message: string,
    { task, text }: { readonly task?: Received<Task> | undefined; readonly text: string },
  ) {
    super(text === "" ? message : `${message}: ${text}`);
    this.task = task;
    this.state = task?.status.state;
    this.text = text;
  }

  /** The error for a task that did not complete. */
  static of(task: Received<Task>): SkillError {
    const { state, message } = task.status;
    const words: Partial<Record<TaskState, string>> = {
      TASK_STATE_FAILED: "The skill failed",
      TASK_STATE_REJECTED: "The agent rejected the task",
      TASK_STATE_CANCELED: "The task was canceled",
      TASK_STATE_INPUT_REQUIRED: "The agent asks a question",
      TASK_STATE_AUTH_REQUIRED: "The agent needs an authorization",
    };
    return new SkillError(words[state as TaskState] ?? `The task is ${state}`, {
      task,
      text: message ? textOf(message) : "",
    });
  }
}
