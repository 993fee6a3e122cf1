import type { ExplicitEntries } from "../protocol/fallbacks.js";
import type { Role, TaskState } from "../protocol/model.js";

/** Names of states in 0.3, except in the shapes of the protocol buffers. The tables of 0.1 and its dialect are derived from them. */
export const stateWords = {
  TASK_STATE_UNSPECIFIED: "unknown",
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_AUTH_REQUIRED: "auth-required",
} as const satisfies ExplicitEntries<"TaskState", string>;

/** The name of an enum value in an older version. A value that the table lacks is returned unchanged (§5.7). */
export function wordOf<Value extends string, Word>(words: Readonly<Record<Value, Word>>, value: Value): Word {
  return words[value] ?? (value as unknown as Word);
}

/** Roles by their older names. */
const roles = {
  user: "ROLE_USER",
  agent: "ROLE_AGENT",
} as const satisfies Record<string, Role>;

const states: ReadonlyMap<unknown, TaskState> = new Map(
  (Object.entries(stateWords) as [TaskState, string][]).map(([state, word]) => [word, state]),
);

/**
 * A state by its older name in any letter case, with hyphens or underscores, or `cancelled`. Any other value, such as a name of the model,
 * is returned unchanged.
 */
export function readState(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const word = value.toLowerCase().replaceAll("_", "-").replace("cancelled", stateWords.TASK_STATE_CANCELED);
  return states.get(word) ?? value;
}

/** A role by its older name. Any other value, such as a name of the model, is returned unchanged. */
export function readRole(value: unknown): unknown {
  return value === "user" || value === "agent" ? roles[value] : value;
}

/** Adds `Z` to a time without a zone, because early peers write UTC without it. */
export function readTime(value: unknown): unknown {
  return typeof value === "string" && /T[\d:.]+$/.test(value) ? `${value}Z` : value;
}
