import assert from "node:assert/strict";
import { test } from "vitest";
import { clientCodec } from "../../../src/versions/v0.3/client-codec.js";

test("the last event of a stream says so", () => {
  const update = { taskId: "t", contextId: "c", status: { state: "completed" } };
  assert.equal(clientCodec.isLast?.({ kind: "status-update", ...update, final: true }), true);
  assert.equal(clientCodec.isLast?.({ statusUpdate: { ...update, final: true } }), true);
  assert.equal(clientCodec.isLast?.({ status_update: { ...update, final: true } }), true);
  assert.equal(clientCodec.isLast?.({ status_update: { ...update, final: false } }), false);
  assert.equal(clientCodec.isLast?.({ kind: "status-update", ...update, final: false }), false);
  assert.equal(clientCodec.isLast?.("x"), false);
});
