import assert from "node:assert/strict";
import type { Task, TaskState } from "../../protocol/model.js";
import type { TaskQuery } from "../../stores/task-store.js";
import { changed, created } from "./entries.js";
import type { Cases, ContractStore } from "./opened-store.js";

/** Creates a task with the given status timestamp. */
async function put(
  { store, scope }: ContractStore,
  id: string,
  timestamp?: string,
  more: Partial<Task> = {},
) {
  const state = more.status?.state ?? "TASK_STATE_WORKING";
  const status = { state, ...(timestamp !== undefined && { timestamp }) };
  await store.append(scope, id, 0, [created({ ...more, id, status })]);
}

async function ids({ store, scope }: ContractStore, query: Partial<TaskQuery> = {}): Promise<string[]> {
  return (await store.list(scope, { pageSize: 100, ...query })).tasks.map(({ id }) => id);
}

const at = (seconds: number) => new Date(Date.UTC(2025, 0, 1, 0, 0, seconds)).toISOString();
const inState = (state: TaskState) => ({ status: { state } });

/** Order and filters of lists. */
export const listCases: Cases = {
  "OP-LIST-06, OP-LIST-07: the newest status comes first, then the highest id; tasks without a timestamp come last":
    async (opened) => {
      const tasks = [
        ["old", at(1)],
        ["none-a", undefined],
        ["tie-a", at(2)],
        ["tie-c", at(2)],
        ["tie-B", at(2)],
        ["new", at(3)],
        ["none-b", undefined],
      ] as const;
      for (const [id, timestamp] of tasks) await put(opened, id, timestamp);
      assert.deepEqual(await ids(opened), ["new", "tie-c", "tie-a", "tie-B", "old", "none-b", "none-a"]);
    },

  "GEN-01: the generations of a page, if it has any, are those of its tasks in the same order": async (
    opened,
  ) => {
    const { store, scope } = opened;
    for (const [index, id] of ["a", "b", "c"].entries()) await put(opened, id, at(index + 10));
    await store.append(scope, "b", 1, [changed("TASK_STATE_WORKING", { id: "b", at: at(20) })]);
    await store.append(scope, "b", 2, [changed("TASK_STATE_WORKING", { id: "b", at: at(21) })]);
    const { tasks, generations } = await store.list(scope, { pageSize: 100 });
    if (generations === undefined) return;
    assert.deepEqual(
      tasks.map(({ id }, index) => [id, generations[index]]),
      [
        ["b", 3],
        ["c", 1],
        ["a", 1],
      ],
    );
  },

  "OP-LIST-06: a task moves when its status timestamp changes, even to an earlier one, but not when an artifact is added":
    async (opened) => {
      const { store, scope } = opened;
      for (const [index, id] of ["a", "b", "c"].entries()) await put(opened, id, at(index + 10));
      assert.deepEqual(await ids(opened), ["c", "b", "a"]);
      await store.append(scope, "a", 1, [changed("TASK_STATE_WORKING", { id: "a", at: at(20) })]);
      assert.deepEqual(await ids(opened), ["a", "c", "b"]);
      await store.append(scope, "c", 1, [changed("TASK_STATE_WORKING", { id: "c", at: at(5) })]);
      assert.deepEqual(await ids(opened), ["a", "b", "c"]);
      const artifact = { artifactId: "x", parts: [{ text: "" }] };
      await store.append(scope, "b", 1, [
        { event: { artifactUpdate: { taskId: "b", contextId: "", artifact } } },
      ]);
      assert.deepEqual(await ids(opened), ["a", "b", "c"]);
    },

  "OP-LIST-06: timestamps are compared as instants, whatever their number of fraction digits": async (
    opened,
  ) => {
    const second = "2025-01-01T00:00:00";
    const digits = [".000000001Z", ".1Z", ".12Z", ".123Z", ".1230001Z", ".124Z", ".9Z"];
    for (const [index, digit] of ["Z", ...digits].entries())
      await put(opened, `task-${index}`, second + digit);
    const expected = digits.map((_, index) => `task-${index + 1}`).reverse();
    assert.deepEqual(await ids(opened), [...expected, "task-0"]);
    assert.deepEqual(await ids(opened, { statusTimestampAfter: `${second}.120Z` }), expected.slice(0, 5));
  },

  "OP-LIST-09: contextId selects the tasks of that context, and none if the context is unknown": async (
    opened,
  ) => {
    const { store, scope } = opened;
    await put(opened, "a", at(1), { contextId: "one" });
    await put(opened, "b", at(2), { contextId: "two" });
    assert.deepEqual(await ids(opened, { contextId: "one" }), ["a"]);
    await put(opened, "c", at(3), { contextId: "one" });
    await put(opened, "d", at(4), { contextId: "three" });
    assert.deepEqual(await ids(opened, { contextId: "one" }), ["c", "a"]);
    assert.deepEqual(await ids(opened, { contextId: "three" }), ["d"]);
    const unknown = await store.list(scope, { pageSize: 10, contextId: "__proto__" });
    assert.deepEqual([unknown.tasks, unknown.next, unknown.totalSize], [[], undefined, 0]);
  },

  "OP-LIST-10: status selects the tasks that are in that state now": async (opened) => {
    const { store, scope } = opened;
    await put(opened, "a", at(1));
    await put(opened, "b", at(2), inState("TASK_STATE_INPUT_REQUIRED"));
    assert.deepEqual(await ids(opened, { status: "TASK_STATE_WORKING" }), ["a"]);
    assert.deepEqual(await ids(opened, { status: "TASK_STATE_FAILED" }), []);
    await store.append(scope, "b", 1, [changed("TASK_STATE_WORKING", { id: "b", at: at(3) })]);
    await store.append(scope, "a", 1, [changed("TASK_STATE_FAILED", { id: "a", at: at(4) })]);
    assert.deepEqual(await ids(opened, { status: "TASK_STATE_WORKING" }), ["b"]);
    assert.deepEqual(await ids(opened, { status: "TASK_STATE_FAILED" }), ["a"]);
    assert.deepEqual(await ids(opened, { status: "TASK_STATE_INPUT_REQUIRED" }), []);
  },

  "OP-LIST-12: statusTimestampAfter selects tasks at or after an instant, and none without a timestamp":
    async (opened) => {
      for (const second of [1, 2, 3]) await put(opened, `at-${second}`, at(second));
      await put(opened, "none", undefined);
      assert.deepEqual(await ids(opened, { statusTimestampAfter: at(2) }), ["at-3", "at-2"]);
      assert.deepEqual(await ids(opened, { statusTimestampAfter: at(4) }), []);
      assert.deepEqual(await ids(opened, { statusTimestampAfter: at(-4) }), ["at-3", "at-2", "at-1"]);
    },

  "OP-LIST-16, OP-LIST-18: filters are joined by AND, and totalSize counts the tasks that match all of them":
    async (opened) => {
      const { store, scope } = opened;
      for (let index = 0; index < 40; index += 1) {
        const state = index % 2 === 0 ? "TASK_STATE_WORKING" : "TASK_STATE_REJECTED";
        await put(opened, `task-${index}`, at(index), {
          contextId: `context-${index % 4}`,
          ...inState(state),
        });
      }
      const totals: (readonly [Partial<TaskQuery>, number])[] = [
        [{}, 40],
        [{ contextId: "context-1" }, 10],
        [{ status: "TASK_STATE_WORKING" }, 20],
        [{ contextId: "context-1", status: "TASK_STATE_WORKING" }, 0],
        [{ contextId: "context-1", status: "TASK_STATE_REJECTED" }, 10],
        [{ statusTimestampAfter: at(30) }, 10],
        [{ statusTimestampAfter: at(30), status: "TASK_STATE_REJECTED" }, 5],
        [{ statusTimestampAfter: at(30), status: "TASK_STATE_REJECTED", contextId: "context-3" }, 3],
      ];
      for (const [query, total] of totals) {
        const page = await store.list(scope, { pageSize: 2, ...query });
        assert.deepEqual(
          [page.tasks.length, page.totalSize],
          [Math.min(total, 2), total],
          JSON.stringify(query),
        );
      }
    },
};
