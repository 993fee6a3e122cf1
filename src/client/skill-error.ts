import type { Task, TaskState } from "../model.js";
import { textOf } from "../parts.js";

/** A skill that gave no output: its task failed, was refused, waits for its caller, or its agent answered in words only. */
export class SkillError extends Error {
  override readonly name = "SkillError";
  /** State of the task; undefined when the agent answered without one. */
  readonly state: TaskState | undefined;
  /** With it the call can go on: `skill.reply(error.task, …)` when it waits for input. */
  readonly task: Task | undefined;
  /** What the agent said. */
  readonly text: string;

  constructor(message: string, { task, text }: { readonly task?: Task | undefined; readonly text: string }) {
    super(text === "" ? message : `${message}: ${text}`);
    this.task = task;
    this.state = task?.status.state;
    this.text = text;
  }

  /** The error of a task that did not end with success. */
  static of(task: Task): SkillError {
    const { state, message } = task.status;
    const words: Partial<Record<TaskState, string>> = {
      TASK_STATE_FAILED: "The skill failed",
      TASK_STATE_REJECTED: "The agent will not do this",
      TASK_STATE_CANCELED: "The task was canceled",
      TASK_STATE_INPUT_REQUIRED: "The agent asks back",
      TASK_STATE_AUTH_REQUIRED: "The agent needs a permission",
    };
    return new SkillError(words[state] ?? `The task is ${state}`, {
      task,
      text: message ? textOf(message) : "",
    });
  }
}
