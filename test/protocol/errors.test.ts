import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError, clientError, invalidParams } from "../../src/protocol/errors.js";

const frames = ({ stack = "" }: Error) => stack.split("\n").filter((line) => /^\s+at /.test(line)).length;

test("errors for faults of callers carry no trace of the stack, others do", () => {
  const fault = clientError("TASK_NOT_FOUND", undefined, { metadata: { taskId: "t" } });
  assert.ok(fault instanceof A2AError);
  assert.deepEqual(fault.metadata, { taskId: "t" });
  assert.equal(frames(fault), 0);
  assert.equal(frames(invalidParams("message", "is required")), 0);
  assert.ok(frames(new A2AError("TASK_NOT_FOUND")) > 0);
});

test("an error for a fault of a caller leaves the limit on traces as it was", () => {
  const { stackTraceLimit } = Error;
  clientError("TASK_NOT_FOUND");
  assert.equal(Error.stackTraceLimit, stackTraceLimit);
});
