import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { additionsOf } from "../../../codegen/additions.js";
import { emitAdditions } from "../../../codegen/emit/additions.js";
import { emitFallbacks } from "../../../codegen/emit/fallbacks.js";
import { FileChanges } from "../../../codegen/import/file-changes.js";
import { decisionsFile, writeDecisions } from "../../../codegen/import/write-decisions.js";
import type { Field, Level, Spec } from "../../../codegen/spec-model.js";
import { tinySpec } from "../tiny.js";
import { scratch } from "./scratch.js";

const field = (name: string, type?: string): Field => ({
  ...{ name, description: "", deprecated: false, container: "single", required: false, explicit: false },
  ...(type === undefined ? { kind: "string" as const } : { kind: "message" as const, type }),
});
const message = (name: string, fields: readonly Field[]) => ({ name, description: "", fields, oneofs: [] });

const levelsOf = (levels: Record<string, Level>): ReadonlyMap<string, Level> =>
  new Map(Object.entries(levels));

/** A request that holds a note, a response that holds it too, and what comes new in a later version. */
function specOf(
  protocolVersion: string,
  added: { readonly fields?: readonly Field[]; readonly errors?: readonly string[] } = {},
): Spec {
  const { fields = [], errors = [] } = added;
  const spec = tinySpec();
  const [row] = spec.errors;
  const [operation] = spec.operations;
  assert.ok(row !== undefined && operation !== undefined);
  return {
    ...spec,
    folder: `v${protocolVersion}`,
    protocolVersion,
    messages: [
      message("Ask", [field("id"), field("note", "Note")]),
      message("Answer", [field("note", "Note"), ...fields]),
      message("Note", [field("text"), ...fields]),
      message("Fresh", [field("inner")]),
    ],
    operations: [{ ...operation, name: "Ask", request: "Ask", response: "Answer" }],
    errors: [row, ...errors.map((code) => ({ ...row, code, fallback: row.code }))],
  };
}

test("members are listed by who sends them, and what only a new member leads to is not listed", () => {
  const later = specOf("4.1", { fields: [field("extra", "Fresh")], errors: ["TOO_LATE"] });
  assert.deepEqual(additionsOf(later, specOf("4.0")), {
    since: "4.0",
    requestMembers: ["Note.extra"],
    responseMembers: ["Answer.extra", "Note.extra"],
    errors: ["TOO_LATE"],
    operations: [],
  });
  assert.deepEqual(additionsOf(later, undefined).requestMembers, []);
});

test("the levels of the text are listed with what they are about", () => {
  const later = {
    ...specOf("4.1", { fields: [field("extra")] }),
    levels: levelsOf({ "Note.extra": "MUST", "Note.gone": "MAY" }),
  };
  const additions = additionsOf(later, specOf("4.0"));
  assert.deepEqual(additions.levels, { "Note.extra": "MUST" });
  const before = specOf("4.0");
  assert.match(
    emitAdditions(later, additions, before),
    / {2}levels: \{ "Note\.extra": "MUST" \},\n\} as const;/,
  );
  assert.ok(!/levels/.test(emitAdditions(later, additionsOf(specOf("4.1"), before), before)));
});

test("a draft lists the errors that the newest released version lacks: none after its release", () => {
  const errors = ["TOO_LATE"];
  const draft = specOf("4.1-draft", { errors });
  const additions = additionsOf(draft, specOf("4.0"));
  assert.match(emitAdditions(draft, additions, specOf("4.0")), /addedErrors = \{\n {2}TOO_LATE: /);
  assert.match(emitFallbacks(draft, specOf("4.0")), /errorFallbacks = \{ TOO_LATE: /);
  const released = specOf("4.1", { errors });
  assert.match(emitAdditions(draft, additions, released), /addedErrors = \{\} as const/);
  assert.match(emitFallbacks(draft, released), /errorFallbacks = \{\} as const/);
  assert.ok(!emitAdditions(released, additions, released).includes("addedErrors"));
  assert.match(emitFallbacks(released, released), /errorFallbacks = \{ TOO_LATE: /);
});

test("an import adds undecided rows, and keeps those that are decided", async (t) => {
  const place = await scratch([]);
  t.onTestFinished(() => place.remove());
  const before = specOf("4.0");
  const write = async (spec: Spec) => {
    const files = new FileChanges(place.root);
    const undecided = await writeDecisions(files, spec, before);
    await files.commit();
    return undecided;
  };
  const first = await write(specOf("4.1", { fields: [field("extra")] }));
  assert.deepEqual(first, [
    "request member Note.extra",
    "response member Answer.extra",
    "response member Note.extra",
  ]);
  const path = join(place.root, decisionsFile("4.1"));
  const decided = (await readFile(path, "utf8")).replace(/undecided/g, "implemented");
  await writeFile(path, decided);
  const more = specOf("4.1", { fields: [field("extra"), field("other")], errors: ["TOO_LATE"] });
  assert.deepEqual(await write(more), [
    "request member Note.other",
    "response member Answer.other",
    "response member Note.other",
    "error TOO_LATE",
  ]);
  const text = await readFile(path, "utf8");
  assert.match(text, /import \{ type DecisionsOn, implemented, undecided \}/);
  assert.match(
    text,
    / {4}"Note.extra": implemented,\n {4}"Note.other": undecided,\n {2}\},\n {2}responseMembers/,
  );
  assert.match(text, / {2}errors: \{\n {4}TOO_LATE: undecided,\n {2}\},\n {2}operations: \{\},\n/);
  await write(more);
  assert.equal(await readFile(path, "utf8"), text);
});
