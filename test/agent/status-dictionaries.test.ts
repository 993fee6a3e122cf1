import assert from "node:assert/strict";
import { test } from "vitest";
import type { StatusDictionary } from "../../src/bridges/index.js";
import { run, streaming } from "./adapted.js";

test("status dictionaries mean the same", async (t) => {
  const states = async (...updates: StatusDictionary[]) => (await run(t, streaming(...updates))).task;
  const progress = { is_task_complete: false, require_user_input: false, content: "Looking up", error: null };
  const done = await states(progress, {
    is_task_complete: true,
    require_user_input: false,
    content: "92 EUR",
  });
  assert.equal(done.status.state, "TASK_STATE_COMPLETED");
  assert.equal(done.artifacts[0].parts[0].text, "92 EUR");
  const asked = await states(progress, {
    is_task_complete: false,
    require_user_input: true,
    content: "Which?",
  });
  assert.equal(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
  const failed = await states({ is_task_complete: true, content: null, error: "No rate" });
  assert.deepEqual(failed.status.message.parts, [{ text: "No rate" }]);
  const table = await states({ is_task_complete: true, content: { rate: 0.92 } });
  assert.deepEqual(table.artifacts[0].parts, [{ data: { rate: 0.92 } }]);
});

/** Dictionaries, the state that comes of each, and what the caller is shown. */
const dictionaries: readonly [StatusDictionary, string, unknown][] = [
  [{ status: "completed", message: "92 EUR" }, "COMPLETED", [{ text: "92 EUR" }]],
  [{ status: "COMPLETED", message: "92 EUR", is_task_complete: true }, "COMPLETED", [{ text: "92 EUR" }]],
  [{ isTaskComplete: true, requireUserInput: false, content: "92" }, "COMPLETED", [{ text: "92" }]],
  [{ is_task_complete: true, content: "92", error: "" }, "COMPLETED", [{ text: "92" }]],
  [
    { isTaskComplete: true, message: "Done", content: { rate: 0.92 } },
    "COMPLETED",
    [{ text: "Done" }, { data: { rate: 0.92 } }],
  ],
  [{ is_task_complete: true, message: null, content: false }, "COMPLETED", [{ data: false }]],
  [{ status: "input_required", message: "Which?" }, "INPUT_REQUIRED", [{ text: "Which?" }]],
  [{ status: "input-required", message: "Which?" }, "INPUT_REQUIRED", [{ text: "Which?" }]],
  [
    { requireUserInput: true, isTaskComplete: false, message: "Which?" },
    "INPUT_REQUIRED",
    [{ text: "Which?" }],
  ],
  [{ require_user_input: true, message: "Which?" }, "INPUT_REQUIRED", [{ text: "Which?" }]],
  [{ status: "error", message: "No rate" }, "FAILED", [{ text: "No rate" }]],
  [
    { status: "error", message: "No rate", is_task_complete: false, require_user_input: true },
    "FAILED",
    [{ text: "No rate" }],
  ],
];

for (const [said, state, shown] of dictionaries) {
  test(`status dictionaries of the guide, in either spelling: ${JSON.stringify(said)}`, async (t) => {
    for (const agent of [
      streaming({ status: "working", message: "Looking up" }, said),
      { invoke: () => said },
    ]) {
      const { task } = await run(t, agent);
      assert.equal(task.status.state, `TASK_STATE_${state}`);
      const parts = state === "COMPLETED" ? task.artifacts[0].parts : task.status.message.parts;
      assert.deepEqual(parts, shown);
      if ("stream" in agent) assert.equal(task.history.at(-1).parts[0].text, "Looking up");
    }
  });
}
