import type { TaskState } from "../model.js";

const ACTIVE = ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"] as const;
const INTERRUPTED = ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"] as const;
const TERMINAL = [
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
] as const;

/** States in which the agent is at work, or about to be. */
export const activeStates: ReadonlySet<TaskState> = new Set(ACTIVE);

/** States in which the task waits for its caller and stays open for messages (TASK-09). */
export const interruptedStates: ReadonlySet<TaskState> = new Set(INTERRUPTED);

/** States that nothing follows: status, history and artifacts are final (TASK-02). */
export const terminalStates: ReadonlySet<TaskState> = new Set(TERMINAL);

/** Where a task can go after its first state; nothing returns to SUBMITTED. */
const onward: ReadonlySet<TaskState> = new Set(["TASK_STATE_WORKING", ...INTERRUPTED, ...TERMINAL]);
const anywhere: ReadonlySet<TaskState> = new Set(["TASK_STATE_SUBMITTED", ...onward]);
const nowhere: ReadonlySet<TaskState> = new Set();

/** From each state to the states that may follow it, itself included where a further event in the same state makes sense. */
const transitions: Readonly<Record<TaskState, ReadonlySet<TaskState>>> = {
  TASK_STATE_UNSPECIFIED: nowhere,
  TASK_STATE_SUBMITTED: anywhere,
  TASK_STATE_WORKING: onward,
  TASK_STATE_INPUT_REQUIRED: onward,
  TASK_STATE_AUTH_REQUIRED: onward,
  TASK_STATE_COMPLETED: nowhere,
  TASK_STATE_FAILED: nowhere,
  TASK_STATE_CANCELED: nowhere,
  TASK_STATE_REJECTED: nowhere,
};

/**
 * Whether a task in `from` may be given the state `to` (§4.1.3, TASK-04). `undefined` stands for a task that is being made,
 * which may begin in any state. A state this version does not know leads nowhere.
 */
export function canTransition(from: TaskState | undefined, to: TaskState): boolean {
  const next = from === undefined ? anywhere : transitions[from];
  return next?.has(to) ?? false;
}

/** Whether the task has ended. An unknown state has not (TASK-18). */
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
