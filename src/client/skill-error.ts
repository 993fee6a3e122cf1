import type { Open, Received, Task, TaskState } from "../protocol/model.js";

/**
 * Thrown when a skill returned no output: its task has not completed, for example because it failed or waits for its caller; or there is a
 * schema of the output, and the agent returned neither data nor text that matches it.
 * @example `if (error instanceof SkillError && error.state === "TASK_STATE_INPUT_REQUIRED") ask(error.text);`
 */
export class SkillError extends Error {
  override readonly name = "SkillError";
  /** State of the task; undefined when the agent created none. */
  readonly state: Open<TaskState> | undefined;
  /** The task, to continue the call: `skill.reply(error.task, …)` when it waits for input; undefined when the agent created none. */
  readonly task: Received<Task> | undefined;
  /** The text of the agent's result, or of its status message if the task has not completed; `""` without text. */
  readonly text: string;

  constructor(
    message: string,
    { task, text }: { readonly task?: Received<Task> | undefined; readonly text: string },
  ) {
    super(text === "" ? message : `${message}: ${text}`);
    this.task = task;
    this.state = task?.status?.state;
    this.text = text;
  }
}
