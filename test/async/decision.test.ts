import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { decide } from "../../src/async/decision.js";
import { A2AError } from "../../src/protocol/errors.js";

test("a hook that decides refuses with the text of its A2AError, also with INTERNAL_ERROR of another copy of the package", async () => {
  vi.resetModules();
  const other = await import("../../src/protocol/errors.js");
  assert.notEqual(other.A2AError, A2AError);
  for (const { A2AError: Thrown } of [{ A2AError }, other]) {
    const call = () => {
      throw new Thrown("INTERNAL_ERROR", "The directory is down");
    };
    assert.throws(() => decide({ name: "auth.authorize", call }), {
      code: "INTERNAL_ERROR",
      message: "The directory is down",
    });
  }
});
