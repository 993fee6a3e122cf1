import assert from "node:assert/strict";
import { test } from "vitest";
import { Births } from "../../src/bindings/births.js";
import type { CallContext } from "../../src/call.js";
import { codec as draft } from "../../src/wire/v0.1/codec.js";
import { codec as newest } from "../../src/wire/v1.0/codec.js";

test("the version in which a task was begun is known, the first one counts", () => {
  const births = new Births();
  births.note("t", draft);
  births.note("t", newest);
  assert.equal(births.versionOf("t"), "0.1");
  assert.deepEqual(
    ["other", 7].map((id) => births.versionOf(id)),
    [undefined, undefined],
  );
});

test("only the latest tasks are remembered", () => {
  const births = new Births({ limit: 2 });
  for (const id of ["a", "b", "c"]) births.note(id, draft);
  assert.deepEqual(
    ["a", "b", "c"].map((id) => births.versionOf(id)),
    [undefined, "0.1", "0.1"],
  );
});

test("what is not remembered is asked for once, and only about tasks", async () => {
  const asked: string[] = [];
  const births = new Births({
    async stored(taskId) {
      asked.push(taskId);
      return taskId === "t" ? "0.1" : undefined;
    },
  });
  const call = {} as CallContext;
  for (const id of ["t", "t", 7, "other"]) await births.find(id, call);
  assert.deepEqual(asked, ["t", "other"]);
  assert.equal(births.versionOf("t"), "0.1");
});
