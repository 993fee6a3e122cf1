import assert from "node:assert/strict";
import { test } from "vitest";
import { loadCodecs } from "../../src/versions/codecs.js";
import {
  type DecisionsOn,
  type DecisionTable,
  implemented,
  isListable,
  undecided,
} from "../../src/versions/decisions.js";

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

test("the level of what is ignored is that of the text, where an import has read it", () => {
  interface Added {
    readonly requestMembers: readonly ["Task.a", "Task.b"];
    readonly responseMembers: readonly [];
    readonly errors: readonly [];
    readonly operations: readonly [];
    readonly levels: { readonly "Task.a": "MUST" };
  }
  const ignored = <L extends string>(level: L) => ({
    is: "ignored" as const,
    reason: "none needs it",
    level,
  });
  const tables: DecisionsOn<Added>[] = [
    { ...none, requestMembers: { "Task.a": ignored("MUST"), "Task.b": ignored("MAY") } },
    { ...none, requestMembers: { "Task.a": implemented, "Task.b": ignored("SHOULD") } },
    // @ts-expect-error The text says MUST.
    { ...none, requestMembers: { "Task.a": ignored("MAY"), "Task.b": implemented } },
    // @ts-expect-error A row is missing.
    { ...none, requestMembers: { "Task.a": implemented } },
    // @ts-expect-error A row is undecided.
    { ...none, requestMembers: { "Task.a": undecided, "Task.b": implemented } },
    // @ts-expect-error A row is superfluous.
    { ...none, requestMembers: { "Task.a": implemented, "Task.b": implemented, "Task.c": implemented } },
    // @ts-expect-error A row is superfluous, and the version has none of its kind.
    { ...none, requestMembers: { "Task.a": implemented, "Task.b": implemented }, errors: { E: implemented } },
  ];
  assert.deepEqual(tables.map(isListable), [false, true, true, true, false, true, true]);
});

test("every version of the newest major has a table of decisions, and all of its rows are decided", async () => {
  for (const [version, { decisions }] of await loadCodecs()) {
    assert.equal(decisions !== undefined, !version.startsWith("0."), version);
    if (decisions !== undefined) assert.ok(isListable(decisions), version);
  }
});
