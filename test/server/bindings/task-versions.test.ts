import assert from "node:assert/strict";
import { test } from "vitest";
import type { CallContext } from "../../../src/protocol/call-context.js";
import { TaskVersionCache } from "../../../src/server/task-versions.js";
import { codec as draft } from "../../../src/versions/v0.1/codec.js";
import { codec as newest } from "../../../src/versions/v1.0/codec.js";

const callOf = (id: string, tenant = "") => ({ principal: { id }, tenant }) as CallContext;
const ann = callOf("ann");

test("the version in which a task was begun is known, the first one counts", async () => {
  const births = new TaskVersionCache();
  births.record("t", ann, draft);
  births.record("t", ann, newest);
  assert.equal(await births.find("t", ann), "0.1");
  for (const id of ["other", 7]) assert.equal(await births.find(id, ann), undefined);
});

test("AUTHZ-04, TEN-09: what is remembered of a task is known to its owner in its tenant alone", async () => {
  const births = new TaskVersionCache();
  births.record("t", ann, draft);
  births.record("t", callOf("bob"), newest);
  assert.equal(await births.find("t", callOf("bob")), "1.0");
  for (const call of [callOf("eve"), callOf(""), callOf("ann", "tenant")]) {
    assert.equal(await births.find("t", call), undefined);
  }
  const shared = new TaskVersionCache({ scopeOf: ({ tenant }) => ({ owner: "team", tenant }) });
  shared.record("t", ann, draft);
  assert.equal(await shared.find("t", callOf("bob")), "0.1");
});

test("only the latest tasks are remembered", async () => {
  const births = new TaskVersionCache({ limit: 2 });
  for (const id of ["a", "b", "c"]) births.record(id, ann, draft);
  const found = await Promise.all(["a", "b", "c"].map((id) => births.find(id, ann)));
  assert.deepEqual(found, [undefined, "0.1", "0.1"]);
});

test("what is not remembered is asked for once, and only about tasks", async () => {
  const asked: string[] = [];
  const births = new TaskVersionCache({
    async stored(taskId) {
      asked.push(taskId);
      return taskId === "t" ? "0.1" : undefined;
    },
  });
  for (const id of ["t", "t", 7, "other"]) await births.find(id, ann);
  assert.deepEqual(asked, ["t", "other"]);
  assert.equal(await births.find("t", ann), "0.1");
  assert.deepEqual(asked, ["t", "other"]);
});
