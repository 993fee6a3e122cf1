import assert from "node:assert/strict";
import { test } from "vitest";
import {
  activeStates,
  canTransition,
  interruptedStates,
  isInterrupted,
  isTerminal,
  terminalStates,
} from "../../src/protocol/lifecycle.js";
import type { TaskState } from "../../src/protocol/model.js";

const states = [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
] as const satisfies readonly TaskState[];

/** One row per state a task is in, one column per state it may be given, in the order above. */
const table: readonly (readonly [from: TaskState | undefined, allowed: string])[] = [
  [undefined, "yes yes yes yes yes yes yes yes"],
  ["TASK_STATE_SUBMITTED", "yes yes yes yes yes yes yes yes"],
  ["TASK_STATE_WORKING", "no yes yes yes yes yes yes yes"],
  ["TASK_STATE_INPUT_REQUIRED", "no yes yes yes yes yes yes yes"],
  ["TASK_STATE_AUTH_REQUIRED", "no yes yes yes yes yes yes yes"],
  ["TASK_STATE_COMPLETED", "no no no no no no no no"],
  ["TASK_STATE_FAILED", "no no no no no no no no"],
  ["TASK_STATE_CANCELED", "no no no no no no no no"],
  ["TASK_STATE_REJECTED", "no no no no no no no no"],
];

for (const [from, allowed] of table) {
  test(`TASK-02, TASK-04, TASK-06, TASK-07: where ${from ?? "a new task"} leads`, () => {
    const row = states.map((to) => (canTransition(from, to) ? "yes" : "no")).join(" ");
    assert.equal(row, allowed);
  });
}

test("TASK-01: UNSPECIFIED is never stored, and leads nowhere", () => {
  for (const from of [undefined, ...states])
    assert.equal(canTransition(from, "TASK_STATE_UNSPECIFIED"), false);
  for (const to of states) assert.equal(canTransition("TASK_STATE_UNSPECIFIED", to), false);
});

test("TASK-18: a state from a newer version has not ended, waits for nobody and leads nowhere", () => {
  const newer = "TASK_STATE_UNHEARD_OF" as TaskState;
  assert.equal(isTerminal(newer), false);
  assert.equal(isInterrupted(newer), false);
  assert.equal(canTransition(newer, "TASK_STATE_WORKING"), false);
  assert.equal(canTransition("TASK_STATE_WORKING", newer), false);
});

test("every state is active, interrupted or terminal, and one of them only", () => {
  const all = [...activeStates, ...interruptedStates, ...terminalStates];
  assert.equal(new Set(all).size, all.length);
  // A later version may have more of them.
  assert.deepEqual(
    states.filter((state) => !all.includes(state)),
    [],
  );
  assert.deepEqual(states.filter(isTerminal), states.slice(4));
  assert.deepEqual(states.filter(isInterrupted), states.slice(2, 4));
});
