import { withFallbacks } from "./fallbacks.js";
import type { TaskState } from "./model.js";

type Kind = "active" | "interrupted" | "terminal" | "none";

const kinds = withFallbacks<"TaskState", Kind>("TaskState", {
  TASK_STATE_UNSPECIFIED: "none",
  TASK_STATE_SUBMITTED: "active",
  TASK_STATE_WORKING: "active",
  TASK_STATE_INPUT_REQUIRED: "interrupted",
  TASK_STATE_AUTH_REQUIRED: "interrupted",
  TASK_STATE_COMPLETED: "terminal",
  TASK_STATE_FAILED: "terminal",
  TASK_STATE_CANCELED: "terminal",
  TASK_STATE_REJECTED: "terminal",
});

function statesOf(...wanted: readonly Kind[]): ReadonlySet<TaskState> {
  const states = Object.keys(kinds) as TaskState[];
  return new Set(states.filter((state) => wanted.includes(kinds[state])));
}

/** States in which the agent is at work, or about to be. */
export const activeStates: ReadonlySet<TaskState> = statesOf("active");

/** States in which the task waits for its caller and stays open for messages (§3.4.3). */
export const interruptedStates: ReadonlySet<TaskState> = statesOf("interrupted");

/** States that nothing follows: status, history and artifacts are final. */
export const terminalStates: ReadonlySet<TaskState> = statesOf("terminal");

const anywhere = statesOf("active", "interrupted", "terminal");
/** Where a task can go after its first state; nothing returns to SUBMITTED. */
const onward: ReadonlySet<TaskState> = new Set(
  [...anywhere].filter((state) => state !== "TASK_STATE_SUBMITTED"),
);

/**
 * Whether a task in `from` may be given the state `to` (§4.1.3). `undefined` stands for a task that is being made,
 * which may begin in any state. A state this version does not know leads nowhere.
 */
export function canTransition(from: TaskState | undefined, to: TaskState): boolean {
  if (from === undefined || from === "TASK_STATE_SUBMITTED") return anywhere.has(to);
  return isOpen(from) && onward.has(to);
}

function isOpen(state: TaskState): boolean {
  return activeStates.has(state) || interruptedStates.has(state);
}

/** Whether the task has ended. An unknown state has not (§5.7). */
export function isTerminal(state: TaskState): boolean {
  return terminalStates.has(state);
}

/** Whether the task waits for its caller. */
export function isInterrupted(state: TaskState): boolean {
  return interruptedStates.has(state);
}

/** Whether nothing more happens to the task by itself: it has ended, or waits for its caller. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}
