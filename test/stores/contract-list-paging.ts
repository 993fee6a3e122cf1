import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Task, TaskState } from "../../src/model.js";
import type { PagePosition, TaskQuery, TaskStore } from "../../src/stores/task-store.js";
import { changed, created } from "../task/entries.js";
import type { MakeStore } from "./contract.js";
import { scope } from "./contract-append.js";

const at = (milliseconds: number) => new Date(Date.UTC(2025, 0, 1) + milliseconds).toISOString();

async function put(store: TaskStore, id: string, milliseconds: number, contextId = "c"): Promise<void> {
  const status = { state: "TASK_STATE_WORKING" as const, timestamp: at(milliseconds) };
  await store.append(scope, id, 0, [created({ id, contextId, status })]);
}

/** All pages, with something done between each and the next. */
async function pages(
  store: TaskStore,
  query: TaskQuery,
  between: () => Promise<void> = async () => undefined,
): Promise<Task[][]> {
  const found: Task[][] = [];
  let position: PagePosition | undefined;
  do {
    const page = await store.list(scope, { ...query, ...(position && { position }) });
    found.push([...page.tasks]);
    position = page.next;
    await between();
  } while (position !== undefined);
  return found;
}

/** One step of a random history of a store. */
type Step = { readonly task: number; readonly state: TaskState; readonly at: number };

const states = ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"] as const;
const step: fc.Arbitrary<Step> = fc.record({
  task: fc.nat({ max: 30 }),
  state: fc.constantFrom(...states),
  at: fc.nat({ max: 12 }),
});

export function testListPaging(name: string, makeStore: MakeStore): void {
  test(`OP-LIST-03, PAGE-02: pages follow each other without overlap, and the last has no next [${name}]`, async (t) => {
    const store = await makeStore(t);
    for (let index = 0; index < 120; index += 1) await put(store, `task-${index}`, index % 7);
    for (const pageSize of [1, 7, 60, 100]) {
      const found = await pages(store, { pageSize });
      assert.equal(found.length, Math.ceil(120 / pageSize));
      assert.equal(new Set(found.flat().map(({ id }) => id)).size, 120);
    }
  });

  test(`PAGE-11: a position needs no task at it [${name}]`, async (t) => {
    const store = await makeStore(t);
    for (const [id, milliseconds] of [
      ["a", 1],
      ["c", 1],
      ["e", 3],
    ] as const)
      await put(store, id, milliseconds);
    const behind = async (milliseconds: number, taskId: string) => {
      const position = { timestamp: at(milliseconds), taskId };
      return (await store.list(scope, { pageSize: 10, position })).tasks.map(({ id }) => id);
    };
    assert.deepEqual(await behind(9, "x"), ["e", "c", "a"]);
    assert.deepEqual(await behind(3, "e"), ["c", "a"]);
    assert.deepEqual(await behind(2, "gone"), ["c", "a"]);
    assert.deepEqual(await behind(1, "b"), ["a"]);
    assert.deepEqual(await behind(0, "x"), []);
    const last = await store.list(scope, { pageSize: 10, position: { timestamp: "", taskId: "x" } });
    assert.deepEqual(last, { tasks: [], totalSize: 3 });
  });

  test(`PAGE-09: while 1,000 tasks are updated, no unchanged task is skipped or repeated [${name}]`, async (t) => {
    const store = await makeStore(t);
    const count = 2000;
    for (let index = 0; index < count; index += 1) await put(store, `task-${index}`, index, `c${index % 3}`);
    const generations = new Map<string, number>();
    let clock = count;
    const update = async () => {
      for (let turn = 0; turn < 50; turn += 1) {
        const id = `task-${((clock * 7919) % 1000) * 2}`;
        const generation = generations.get(id) ?? 1;
        clock += 1;
        await store.append(scope, id, generation, [changed("TASK_STATE_WORKING", { id, at: at(clock) })]);
        generations.set(id, generation + 1);
      }
    };
    for (const query of [{}, { contextId: "c1" }, { status: "TASK_STATE_WORKING" as const }]) {
      const found = (await pages(store, { pageSize: 40, ...query }, update)).flat();
      const unchanged = found.map(({ id }) => id).filter((id) => Number(id.slice(5)) % 2 === 1);
      const expected = Array.from({ length: count }, (_, index) => count - 1 - index)
        .filter((index) => index % 2 === 1 && (!("contextId" in query) || index % 3 === 1))
        .map((index) => `task-${index}`);
      assert.deepEqual(unchanged, expected);
    }
    assert.ok(generations.size > 900, `${generations.size} tasks were updated`);
  });

  test(`PAGE-09, OP-LIST-16: lists are those of a plain model, whatever happens in between [${name}]`, async (t) => {
    const query = fc.record(
      {
        pageSize: fc.integer({ min: 1, max: 5 }),
        contextId: fc.constantFrom("c0", "c1", "c2", "none"),
        status: fc.constantFrom<TaskState>(...states, "TASK_STATE_FAILED"),
        statusTimestampAfter: fc.nat({ max: 13 }).map(at),
        position: fc.record({
          timestamp: fc.nat({ max: 13 }).map(at),
          taskId: fc.nat({ max: 31 }).map((id) => `t${id}`),
        }),
      },
      { requiredKeys: ["pageSize"], noNullPrototype: true },
    );
    const rounds = fc.array(fc.tuple(fc.array(step, { maxLength: 20 }), query), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(rounds, async (history) => {
        const store = await makeStore(t);
        const model = new Map<string, { generation: number; task: Task }>();
        for (const [steps, asked] of history) {
          for (const one of steps) await apply(store, model, one);
          assert.deepEqual(
            await summary(store, asked),
            expected(
              [...model.values()].map((m) => m.task),
              asked,
            ),
          );
        }
      }),
      { numRuns: 100 },
    );
  });
}

/** Does a step to the store and to the model; a task that has ended takes none. */
async function apply(
  store: TaskStore,
  model: Map<string, { generation: number; task: Task }>,
  { task, state, at: when }: Step,
): Promise<void> {
  const id = `t${task}`;
  const contextId = `c${task % 3}`;
  const { generation, task: before } = model.get(id) ?? { generation: 0, task: undefined };
  if (before?.status.state === "TASK_STATE_COMPLETED") return;
  const status = { state, timestamp: at(when) };
  const entry = before ? changed(state, { id, at: at(when) }) : created({ id, contextId, status });
  await store.append(scope, id, generation, [entry]);
  model.set(id, { generation: generation + 1, task: { id, contextId, status } });
}

async function summary(store: TaskStore, query: TaskQuery) {
  const { tasks, next, totalSize } = await store.list(scope, query);
  return { ids: tasks.map(({ id }) => id), next, totalSize };
}

function expected(all: Task[], { contextId, status, statusTimestampAfter, position, pageSize }: TaskQuery) {
  const key = (task: Task) => `${task.status.timestamp} ${task.id}`;
  const kept = all
    .filter((task) => contextId === undefined || task.contextId === contextId)
    .filter((task) => status === undefined || task.status.state === status)
    .filter((task) => statusTimestampAfter === undefined || task.status.timestamp! >= statusTimestampAfter)
    .sort((a, b) => (key(a) < key(b) ? 1 : -1));
  const rest = kept.filter(
    (task) => position === undefined || key(task) < `${position.timestamp} ${position.taskId}`,
  );
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  const next =
    last && rest.length > pageSize ? { timestamp: last.status.timestamp!, taskId: last.id } : undefined;
  return { ids: page.map(({ id }) => id), next, totalSize: kept.length };
}
