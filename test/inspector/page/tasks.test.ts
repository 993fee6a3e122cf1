import assert from "node:assert/strict";
import { test, vi } from "vitest";
import type { StreamResponse, Task } from "../../../src/client/index.js";
import { type LoggedEvent, logGap, taskAfter } from "../../../src/inspector/page/screens/tasks/task-log.js";
import { Trailing } from "../../../src/inspector/page/session/trailing.js";

const task: Task = { id: "t1", contextId: "c1", status: { state: "TASK_STATE_WORKING" } };
const chunk = (text: string, append: boolean): StreamResponse => ({
  artifactUpdate: { taskId: "t1", contextId: "c1", artifact: { artifactId: "a", parts: [{ text }] }, append },
});
const ended: StreamResponse = {
  statusUpdate: { taskId: "t1", contextId: "c1", status: { state: "TASK_STATE_COMPLETED" } },
};
const log = (...events: StreamResponse[]): LoggedEvent[] =>
  events.map((event, index) => ({ event, generation: index + 1 }));

test("a task is shown as it was after each event of its log", () => {
  const events = log({ task }, chunk("a", false), chunk("b", true), ended);
  const at = [1, 2, 3, 4].map((count) => taskAfter(events, count));
  assert.deepEqual(
    at.map((found) => [found?.status.state, found?.artifacts?.[0]?.parts.length ?? 0]),
    [
      ["TASK_STATE_WORKING", 0],
      ["TASK_STATE_WORKING", 1],
      ["TASK_STATE_WORKING", 2],
      ["TASK_STATE_COMPLETED", 2],
    ],
  );
  assert.equal(taskAfter(events, 0), undefined);
  const again = log({ task }, ended, { task: { ...task, status: { state: "TASK_STATE_FAILED" } } });
  assert.equal(taskAfter(again, 3)?.status.state, "TASK_STATE_FAILED");
});

test("a log that does not begin at its start says so", () => {
  assert.equal(logGap(log({ task }, ended)), undefined);
  assert.equal(logGap([]), undefined);
  assert.match(logGap([{ event: { task }, generation: 41 }]) ?? "", /compacted: its first 40 events/);
  assert.match(logGap([{ event: { task }, generation: 2 }]) ?? "", /compacted: its first event is no longer/);
  assert.match(logGap([{ event: { task }, generation: undefined }]) ?? "", /does not number its events/);
});

test("changes are published at once, then together, and the last one always", () => {
  vi.useFakeTimers();
  try {
    let published = 0;
    const progress = new Trailing(() => {
      published += 1;
    });
    for (let count = 0; count < 50; count++) progress.changed();
    assert.equal(published, 1);
    vi.advanceTimersByTime(150);
    assert.equal(published, 2);
    vi.advanceTimersByTime(1000);
    assert.equal(published, 2);
    progress.changed();
    assert.equal(published, 3);
  } finally {
    vi.useRealTimers();
  }
});
