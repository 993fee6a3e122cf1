import assert from "node:assert/strict";
import { test } from "node:test";
import { Births } from "../../src/bindings/births.js";
import { codec as draft } from "../../src/wire/v0.1/codec.js";
import { codec as newest } from "../../src/wire/v1.0/codec.js";

test("the version in which a task was begun is known for the methods that it has", () => {
  const births = new Births();
  births.note("t", draft);
  births.note("t", newest);
  assert.equal(births.codecFor("t", "tasks/get"), draft);
  assert.equal(births.codecFor("t", "message/send"), undefined);
  assert.equal(births.codecFor("other", "tasks/get"), undefined);
  assert.equal(births.codecFor(7, "tasks/get"), undefined);
});

test("only the latest tasks are remembered", () => {
  const births = new Births(2);
  for (const id of ["a", "b", "c"]) births.note(id, draft);
  assert.deepEqual(
    ["a", "b", "c"].map((id) => births.codecFor(id, "tasks/get") !== undefined),
    [false, true, true],
  );
});
