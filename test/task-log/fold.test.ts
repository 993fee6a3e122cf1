import assert from "node:assert/strict";
import { test } from "vitest";
import { foldLog, TaskFold } from "../../src/task-log/fold.js";
import type { LogEntry } from "../../src/task-log/log.js";
import { changed, contextId, created, fromAgent, fromUser, json, noted, taskId, wrote } from "./entries.js";

const ids = (entries: LogEntry[]) => (foldLog(entries).task.history ?? []).map((one) => one.messageId);

test("a log begins with its task", () => {
  for (const entry of [
    changed("TASK_STATE_WORKING"),
    wrote({ artifactId: "a" }),
    { event: {} } as LogEntry,
  ]) {
    const fold = new TaskFold();
    assert.throws(() => fold.apply(entry), TypeError);
    assert.throws(() => fold.snapshot(), TypeError);
    assert.equal(fold.generation, 0);
  }
  assert.throws(() => foldLog([]), TypeError);
});

test("a plain message is not part of a task and changes nothing", () => {
  const fold = new TaskFold();
  fold.apply(created());
  const before = fold.snapshot();
  assert.throws(() => fold.apply({ event: { message: fromAgent("m") } }), TypeError);
  assert.equal(fold.snapshot(), before);
});

test("the fold of a task alone is that task, and its generation is 1", () => {
  const first = created({ metadata: { a: 1 }, artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }] });
  assert.deepEqual(foldLog([first]), { task: first.event.task, generation: 1 });
});

test("HIST-11: a status message moves into the history when the next status replaces it", () => {
  const log = [
    created(),
    changed("TASK_STATE_WORKING", { says: fromAgent("one") }),
    changed("TASK_STATE_WORKING"),
    changed("TASK_STATE_WORKING", { says: fromAgent("two") }),
    changed("TASK_STATE_COMPLETED", { says: fromAgent("three") }),
  ];
  assert.deepEqual(ids(log.slice(0, 2)), ["opening"]);
  assert.deepEqual(ids(log.slice(0, 3)), ["opening", "one"]);
  assert.deepEqual(ids(log), ["opening", "one", "two"]);
  assert.equal(foldLog(log).task.status.message?.messageId, "three");
});

test("HIST-11: an artifact does not move the status message", () => {
  assert.deepEqual(
    ids([created(), changed("TASK_STATE_WORKING", { says: fromAgent("one") }), wrote({ artifactId: "a" })]),
    ["opening"],
  );
});

test("HIST-11: the caller's message comes behind the question that it answers", () => {
  const log = [
    created(),
    changed("TASK_STATE_INPUT_REQUIRED", { says: fromAgent("question") }),
    changed("TASK_STATE_WORKING", { asked: fromUser("answer") }),
  ];
  assert.deepEqual(ids(log), ["opening", "question", "answer"]);
});

test("HIST-12: a caller's message is stored with the task's id and context", () => {
  const asked = Object.freeze(fromUser("answer", { contextId: "" }));
  const log = [created(), changed("TASK_STATE_WORKING", { asked })];
  assert.deepEqual(foldLog(log).task.history?.at(-1), fromUser("answer", { taskId, contextId }));

  const complete = fromUser("answer", { taskId, contextId });
  const same = foldLog([created(), changed("TASK_STATE_WORKING", { asked: complete })]);
  assert.equal(same.task.history?.at(-1), complete, "no copy of what is complete");
});

test("OBJT-07, OBJT-08: metadata of a status update is added to that of the task, by key", () => {
  const working = (metadata: { [key: string]: unknown }) => noted(changed("TASK_STATE_WORKING"), metadata);
  const fold = new TaskFold();
  fold.apply(created({ metadata: { step: 1, kept: true } }));
  const before = fold.snapshot().task;
  fold.apply(working({ step: 2, deep: { a: 1 } }));
  const { task } = fold.snapshot();
  assert.deepEqual(task.metadata, { step: 2, kept: true, deep: { a: 1 } });
  fold.apply(working(json('{"__proto__":{"polluted":true},"step":null}')));
  fold.apply(working({}));
  const { metadata = {} } = fold.snapshot().task;
  assert.equal(
    JSON.stringify(metadata),
    '{"step":null,"kept":true,"deep":{"a":1},"__proto__":{"polluted":true}}',
  );
  assert.equal("polluted" in metadata, false);
  // What was read stays as it was.
  assert.deepEqual(before.metadata, { step: 1, kept: true });
  assert.deepEqual(task.metadata, { step: 2, kept: true, deep: { a: 1 } });
  assert.ok(Object.isFrozen(metadata));
});

test("a task without metadata gets none from updates whose metadata is empty", () => {
  const empty = noted(changed("TASK_STATE_WORKING"), {});
  assert.equal("metadata" in foldLog([created(), empty]).task, false);
});

test("metadata of an artifact update stays in the event", () => {
  const entry = wrote({ artifactId: "a" });
  const log = [created({ metadata: { task: 1 } }), entry];
  if (entry.event.artifactUpdate) entry.event.artifactUpdate.metadata = { task: 2 };
  const { task } = foldLog(log);
  assert.deepEqual(task.metadata, { task: 1 });
  assert.equal("metadata" in (task.artifacts?.[0] ?? {}), false);
});

test("STR-09: a task event replaces what was folded", () => {
  const closing = created({ history: [], status: { state: "TASK_STATE_COMPLETED" } });
  const { task, generation } = foldLog([created(), wrote({ artifactId: "a" }), closing]);
  assert.equal(generation, 3);
  assert.deepEqual(task, { id: taskId, contextId, status: { state: "TASK_STATE_COMPLETED" } });
});

test("ART-09: a snapshot and the entries behind it fold to the same task as the whole log", () => {
  const log = [
    created(),
    wrote({ artifactId: "a", parts: [{ text: "1" }] }),
    changed("TASK_STATE_WORKING", { says: fromAgent("half") }),
    wrote({ artifactId: "a", parts: [{ text: "2" }] }, { append: true }),
    changed("TASK_STATE_COMPLETED"),
  ];
  for (let cut = 1; cut <= log.length; cut += 1) {
    const from = foldLog(log.slice(0, cut));
    assert.deepEqual(foldLog(log.slice(cut), from), foldLog(log));
  }
});

test("a stored entry brings its generation along", () => {
  const from = foldLog([created()]);
  const fold = new TaskFold(from);
  fold.apply({ ...changed("TASK_STATE_WORKING"), generation: 5 } as LogEntry);
  assert.equal(fold.snapshot().generation, 5);
  fold.apply(changed("TASK_STATE_WORKING"));
  assert.equal(fold.generation, 6);
});

test("a snapshot is frozen where the fold made it, and the same until the next entry", () => {
  const fold = new TaskFold();
  fold.apply(created());
  fold.apply(wrote({ artifactId: "a" }));
  fold.apply(wrote({ artifactId: "a" }, { append: true }));
  const snapshot = fold.snapshot();
  const { task } = snapshot;
  for (const own of [snapshot, task, task.status, task.history, task.artifacts, task.artifacts?.[0]]) {
    assert.ok(Object.isFrozen(own));
  }
  assert.ok(Object.isFrozen(task.artifacts?.[0]?.parts));
  assert.equal(fold.snapshot(), snapshot);
  fold.apply(changed("TASK_STATE_COMPLETED"));
  assert.notEqual(fold.snapshot(), snapshot);
});

test("folding leaves the entries as they were, and unfrozen", () => {
  const log = [
    created({ artifacts: [{ artifactId: "a", parts: [{ text: "0" }], metadata: { x: 1 } }] }),
    wrote({ artifactId: "a", metadata: { y: 2 } }, { append: true }),
    changed("TASK_STATE_COMPLETED"),
  ];
  const before = structuredClone(log);
  const fold = new TaskFold();
  for (const entry of log) {
    fold.apply(entry);
    fold.snapshot();
  }
  assert.deepEqual(log, before);
  const { task } = log[0]!.event;
  for (const one of [task, task?.status, task?.history, task?.artifacts, task?.artifacts?.[0]?.metadata]) {
    assert.equal(Object.isFrozen(one), false);
  }
});
