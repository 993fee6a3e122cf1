import assert from "node:assert/strict";
import { test } from "vitest";
import { loadCodecs } from "../../src/versions/codecs.js";
import { type DecisionTable, implemented, isListable, undecided } from "../../src/versions/decisions.js";

const none = { requestMembers: {}, responseMembers: {}, errors: {}, operations: {} };
const tableWith = (rows: DecisionTable["errors"]): DecisionTable => ({ ...none, errors: rows });

test("a version is listed in cards when each row is decided, and nothing is ignored that the protocol calls a MUST", () => {
  const reason = "no caller needs it";
  for (const [table, listable] of [
    [none, true],
    [tableWith({ A: implemented, B: { is: "refused", code: "UNSUPPORTED_OPERATION" } }), true],
    [tableWith({ A: { is: "ignored", reason, level: "SHOULD" } }), true],
    [tableWith({ A: { is: "ignored", reason, level: "MUST" } }), false],
    [tableWith({ A: implemented, B: undecided }), false],
    [{ ...none, requestMembers: { "Task.a": undecided } }, false],
    [{ ...none, operations: { PauseTask: undecided } }, false],
  ] as const) {
    assert.equal(isListable(table), listable, JSON.stringify(table));
  }
});

test("every version of the newest major has a table of decisions, and all of its rows are decided", async () => {
  for (const [version, { decisions }] of await loadCodecs()) {
    assert.equal(decisions !== undefined, !version.startsWith("0."), version);
    if (decisions !== undefined) assert.ok(isListable(decisions), version);
  }
});
