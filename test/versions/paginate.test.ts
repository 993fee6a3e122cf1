import assert from "node:assert/strict";
import { test } from "vitest";
import type { ListTasksRequest, Task, TaskState } from "../../src/protocol/model.js";
import { pageOf, startOf } from "../../src/versions/paginate.js";
import { ContractFault } from "../../src/versions/version.js";

const task = (id: string, contextId: string, state: TaskState, second?: string): Task => ({
  id,
  contextId,
  status: { state, ...(second && { timestamp: `2026-01-31T12:00:${second}Z` }) },
  history: [
    { messageId: `${id}1`, role: "ROLE_USER", parts: [{ text: "x" }] },
    { messageId: `${id}2`, role: "ROLE_AGENT", parts: [{ text: "y" }] },
  ],
  artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }],
});
const status = (timestamp: string) => ({ state: "TASK_STATE_WORKING" as const, timestamp });
const all = [
  task("old", "c", "TASK_STATE_WORKING"),
  task("first", "c", "TASK_STATE_WORKING", "01"),
  task("second", "d", "TASK_STATE_COMPLETED", "02"),
  task("third", "c", "TASK_STATE_COMPLETED", "02.5"),
];

const pages: [name: string, request: ListTasksRequest, ids: string[], next: string, total: number][] = [
  ["nothing is asked for", {}, ["third", "second", "first", "old"], "", 4],
  ["a conversation", { contextId: "c" }, ["third", "first", "old"], "", 3],
  ["a state", { status: "TASK_STATE_COMPLETED" }, ["third", "second"], "", 2],
  [
    "every state",
    { status: "TASK_STATE_UNSPECIFIED", contextId: "" },
    ["third", "second", "first", "old"],
    "",
    4,
  ],
  ["a time", { statusTimestampAfter: "2026-01-31T12:00:02Z" }, ["third", "second"], "", 2],
  ["the first page", { pageSize: 3 }, ["third", "second", "first"], "3", 4],
  ["the next page", { pageSize: 3, pageToken: "3" }, ["old"], "", 4],
  ["a page behind the end", { pageToken: "9" }, [], "", 4],
];
for (const [name, request, ids, next, total] of pages) {
  test(`OP-LIST-01, OP-LIST-03: a whole list gives the page for ${name}`, () => {
    const page = pageOf(all, request);
    assert.deepEqual(
      page.tasks.map(({ id }) => id),
      ids,
    );
    assert.deepEqual([page.nextPageToken, page.totalSize], [next, total]);
    assert.equal(page.pageSize, request.pageSize ?? 50);
  });
}

test("OP-LIST-04: tasks of a whole list have as much history, and artifacts, as is asked for", () => {
  const [plain] = pageOf(all, {}).tasks;
  assert.deepEqual([plain?.history?.length, plain?.artifacts], [2, undefined]);
  const [short] = pageOf(all, { historyLength: 1, includeArtifacts: true }).tasks;
  assert.deepEqual(
    [short?.history?.map(({ messageId }) => messageId), short?.artifacts?.length],
    [["third2"], 1],
  );
  assert.equal(pageOf(all, { historyLength: 0 }).tasks[0]?.history, undefined);
});

test("OP-LIST-12: a time leaves out tasks without a timestamp, however early it is", () => {
  const epoch = { ...task("epoch", "c", "TASK_STATE_WORKING"), status: status("1970-01-01T00:00:00Z") };
  const early = { ...task("early", "c", "TASK_STATE_WORKING"), status: status("1969-12-31T23:59:59Z") };
  const { tasks } = pageOf([...all, early, epoch], { statusTimestampAfter: "1970-01-01T00:00:00Z" });
  assert.deepEqual(
    tasks.map(({ id }) => id),
    ["third", "second", "first", "epoch"],
  );
});

test("a token of another list is refused", () => {
  assert.throws(() => startOf({ pageToken: "abc" }), ContractFault);
  assert.deepEqual([startOf({}), startOf({ pageToken: "" }), startOf({ pageToken: "7" })], [0, 0, 7]);
});

test("a time that cannot be read, as a lenient client may get it, does not change the order of other tasks", () => {
  const odd = {
    ...task("odd", "c", "TASK_STATE_WORKING"),
    status: { state: "TASK_STATE_WORKING", timestamp: "x" },
  };
  const [, first, , third] = all;
  const { tasks } = pageOf([first, odd, third] as Task[], {});
  assert.deepEqual(
    tasks.map(({ id }) => id),
    ["third", "first", "odd"],
  );
});
