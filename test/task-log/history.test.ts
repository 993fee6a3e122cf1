import assert from "node:assert/strict";
import { test } from "vitest";
import type { Task } from "../../src/protocol/model.js";
import { limitHistory, listed } from "../../src/task-log/history.js";
import { contextId, copyOf, fromUser, status, taskId } from "./entries.js";

const messages = ["a", "b", "c"].map((id) => fromUser(id));
const task: Task = Object.freeze({
  id: taskId,
  contextId,
  status: status("TASK_STATE_WORKING"),
  artifacts: [{ artifactId: "x", parts: [{ text: "x" }] }],
  history: messages,
  metadata: { kept: true },
});
const bare: Task = Object.freeze({ id: taskId, status: status("TASK_STATE_WORKING") });

test("HIST-01, HIST-09: without a limit the task comes whole, as the same object", () => {
  assert.equal(limitHistory(task, undefined), task);
});

test("HIST-02, HIST-03, HIST-14: zero leaves the member out", () => {
  const limited = limitHistory(task, 0);
  assert.equal("history" in limited, false);
  assert.deepEqual({ ...limited, history: messages }, task);
  assert.equal("history" in limitHistory({ ...bare, history: [] }, 0), false);
});

test("HIST-04, HIST-05: a limit gives the newest messages, oldest of them first", () => {
  assert.deepEqual(limitHistory(task, 1).history, messages.slice(2));
  assert.deepEqual(limitHistory(task, 2).history, messages.slice(1));
  assert.deepEqual({ ...limitHistory(task, 2), history: messages }, task);
});

test("HIST-05: a limit that is not reached changes nothing, and makes no copy", () => {
  for (const limit of [3, 4, 2 ** 31 - 1]) assert.equal(limitHistory(task, limit), task);
  for (const limit of [undefined, 0, 1]) assert.deepEqual(limitHistory(bare, limit), bare);
});

test("HIST-08: what is stored is not cut", () => {
  const before = copyOf(task);
  limitHistory(task, 0);
  limitHistory(task, 1);
  assert.deepEqual(task, before);
});

test("OP-LIST-04: a listed task has no artifacts member unless asked for", () => {
  const without = listed(task, false);
  assert.equal("artifacts" in without, false);
  assert.deepEqual({ ...without, artifacts: task.artifacts }, task);
  assert.equal(listed(bare, false), bare);
});

test("OP-LIST-05: asked for, the artifacts member is there even when there are none", () => {
  assert.equal(listed(task, true), task);
  assert.deepEqual(listed(bare, true), { ...bare, artifacts: [] });
});
