import { withFallbacks } from "./fallbacks.js";
import type { Open, StreamResponse, TaskState } from "./model.js";

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

/** States in which the agent is working, or about to. */
export const activeStates: ReadonlySet<TaskState> = /* @__PURE__ */ statesOf("active");

/** States in which the task waits for its caller and accepts messages (§3.4.3). */
export const interruptedStates: ReadonlySet<TaskState> = statesOf("interrupted");

/** Final states: status, history and artifacts no longer change (§4.1.3). */
export const terminalStates: ReadonlySet<TaskState> = statesOf("terminal");

/** States that a task can change to; the annotation lets bundlers leave out what a client does not need. */
const reachable = /* @__PURE__ */ statesOf("active", "interrupted", "terminal");

/**
 * Whether a task may change from state `from` to state `to` (§4.1.3). `undefined` stands for a task that is being
 * created, which may begin in any state but UNSPECIFIED. No task changes to UNSPECIFIED, and only a submitted one to
 * SUBMITTED. Terminal states, UNSPECIFIED and states that this version does not know have no successors.
 *
 * @example
 * ```ts
 * canTransition("TASK_STATE_WORKING", "TASK_STATE_COMPLETED"); // true
 * canTransition("TASK_STATE_COMPLETED", "TASK_STATE_WORKING"); // false
 * ```
 */
export function canTransition(from: TaskState | undefined, to: TaskState): boolean {
  if (!reachable.has(to)) return false;
  if (from === undefined || from === "TASK_STATE_SUBMITTED") return true;
  return isOpen(from) && to !== "TASK_STATE_SUBMITTED";
}

function isOpen(state: TaskState): boolean {
  return activeStates.has(state) || interruptedStates.has(state);
}

/**
 * Whether the task has ended. An unknown state counts as not ended (§5.7).
 *
 * @example
 * ```ts
 * if (isTerminal(task.status.state)) console.log("done");
 * ```
 */
export function isTerminal(state: Open<TaskState>): boolean {
  return terminalStates.has(state as TaskState);
}

/**
 * Whether the task waits for its caller: for input or for authorization.
 *
 * @example
 * ```ts
 * if (isInterrupted(task.status.state)) await client.reply(task, "Lisbon");
 * ```
 */
export function isInterrupted(state: Open<TaskState>): boolean {
  return interruptedStates.has(state as TaskState);
}

/** Whether the task has ended or waits for its caller. A send that waits for the task is answered then (§3.2.2). */
export function isSettled(state: Open<TaskState>): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/** Whether an event ends its task, so that no other event of the task can follow. */
export function endsTask(event: StreamResponse | undefined): boolean {
  const status = (event?.task ?? event?.statusUpdate)?.status;
  return status !== undefined && isTerminal(status.state);
}
