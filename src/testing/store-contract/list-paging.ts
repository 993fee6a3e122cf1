import assert from "node:assert/strict";
import type { Task, TaskState } from "../../protocol/model.js";
import type { PagePosition, TaskQuery } from "../../stores/task-store.js";
import { changed, created } from "./entries.js";
import { type Cases, type ContractStore, Random } from "./opened-store.js";

const at = (milliseconds: number) => new Date(Date.UTC(2025, 0, 1) + milliseconds).toISOString();

async function put(
  { store, scope }: ContractStore,
  id: string,
  milliseconds: number,
  contextId = "c",
): Promise<void> {
  const status = { state: "TASK_STATE_WORKING" as const, timestamp: at(milliseconds) };
  await store.append(scope, id, 0, [created({ id, contextId, status })]);
}

/** All pages of a list. `between` is called after each. */
async function pages(
  { store, scope }: ContractStore,
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

/** A random step. */
function randomStep(random: Random): Step {
  return { task: random.below(31), state: random.of(...states), at: random.below(13) };
}

/** A random query. */
function randomQuery(random: Random): TaskQuery {
  const half = () => random.below(2) === 0;
  return {
    pageSize: 1 + random.below(5),
    ...(half() && { contextId: random.of("c0", "c1", "c2", "none") }),
    ...(half() && { status: random.of<TaskState>(...states, "TASK_STATE_FAILED") }),
    ...(half() && { statusTimestampAfter: at(random.below(14)) }),
    ...(half() && { position: { timestamp: at(random.below(14)), taskId: `t${random.below(32)}` } }),
  };
}

/** Pages of lists, also while tasks are changed. */
export const listPagingCases: Cases = {
  "OP-LIST-03: pages do not overlap and together contain all tasks; the last page has no next position":
    async (opened) => {
      for (let index = 0; index < 120; index += 1) await put(opened, `task-${index}`, index % 7);
      for (const pageSize of [1, 7, 60, 100]) {
        const found = await pages(opened, { pageSize });
        assert.equal(found.length, Math.ceil(120 / pageSize));
        assert.equal(new Set(found.flat().map(({ id }) => id)).size, 120);
      }
    },

  "PAGE-11: a page can start at a position that no task has": async (opened) => {
    const { store, scope } = opened;
    for (const [id, milliseconds] of [
      ["a", 1],
      ["c", 1],
      ["e", 3],
    ] as const)
      await put(opened, id, milliseconds);
    const pageAfter = async (milliseconds: number, taskId: string) => {
      const position = { timestamp: at(milliseconds), taskId };
      return (await store.list(scope, { pageSize: 10, position })).tasks.map(({ id }) => id);
    };
    assert.deepEqual(await pageAfter(9, "x"), ["e", "c", "a"]);
    assert.deepEqual(await pageAfter(3, "e"), ["c", "a"]);
    assert.deepEqual(await pageAfter(2, "gone"), ["c", "a"]);
    assert.deepEqual(await pageAfter(1, "b"), ["a"]);
    assert.deepEqual(await pageAfter(0, "x"), []);
    const last = await store.list(scope, { pageSize: 10, position: { timestamp: "", taskId: "x" } });
    assert.deepEqual([last.tasks, last.next, last.totalSize], [[], undefined, 3]);
  },

  "PAGE-09: while 1,000 tasks are updated, no unchanged task is skipped or repeated": async (opened) => {
    const { store, scope } = opened;
    const count = 2000;
    const all = Array.from({ length: count }, (_, index) => index);
    await Promise.all(all.map((index) => put(opened, `task-${index}`, index, `c${index % 3}`)));
    const generations = new Map<string, number>();
    let clock = count;
    const update = async () => {
      const appends = all.slice(0, 50).map(() => {
        const id = `task-${((clock * 7919) % 1000) * 2}`;
        const generation = generations.get(id) ?? 1;
        clock += 1;
        generations.set(id, generation + 1);
        return store.append(scope, id, generation, [changed("TASK_STATE_WORKING", { id, at: at(clock) })]);
      });
      await Promise.all(appends);
    };
    for (const query of [{}, { contextId: "c1" }, { status: "TASK_STATE_WORKING" as const }]) {
      const found = (await pages(opened, { pageSize: 40, ...query }, update)).flat();
      const unchanged = found.map(({ id }) => id).filter((id) => Number(id.slice(5)) % 2 === 1);
      const expected = all
        .toReversed()
        .filter((index) => index % 2 === 1 && (!("contextId" in query) || index % 3 === 1))
        .map((index) => `task-${index}`);
      assert.deepEqual(unchanged, expected);
    }
    assert.ok(generations.size > 900, `${generations.size} tasks were updated`);
  },

  "PAGE-09, OP-LIST-16: after random changes, random queries return what a simple model returns": async (
    opened,
  ) => {
    const random = new Random(9);
    for (let history = 0; history < 20; history += 1) {
      const fresh = { ...opened, scope: { ...opened.scope, owner: `history ${history}` } };
      const model = new Map<string, { generation: number; task: Task }>();
      for (let round = 0; round < 6; round += 1) {
        for (const step of random.list(20, () => randomStep(random))) await apply(fresh, model, step);
        const query = randomQuery(random);
        const tasks = [...model.values()].map(({ task }) => task);
        assert.deepEqual(await summary(fresh, query), expected(tasks, query));
      }
    }
  },
};

/** Applies a step to the store and to the model, unless its task has ended. */
async function apply(
  { store, scope }: ContractStore,
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

async function summary({ store, scope }: ContractStore, query: TaskQuery) {
  const { tasks, next, totalSize } = await store.list(scope, query);
  return { ids: tasks.map(({ id }) => id), next, totalSize };
}

function expected(all: Task[], { contextId, status, statusTimestampAfter, position, pageSize }: TaskQuery) {
  const key = (task: Task) => `${task.status.timestamp} ${task.id}`;
  const kept = all
    .filter((task) => contextId === undefined || task.contextId === contextId)
    .filter((task) => status === undefined || task.status.state === status)
    .filter(
      (task) => statusTimestampAfter === undefined || (task.status.timestamp ?? "") >= statusTimestampAfter,
    )
    .sort((a, b) => (key(a) < key(b) ? 1 : -1));
  const rest = kept.filter(
    (task) => position === undefined || key(task) < `${position.timestamp} ${position.taskId}`,
  );
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  const next =
    last && rest.length > pageSize ? { timestamp: last.status.timestamp ?? "", taskId: last.id } : undefined;
  return { ids: page.map(({ id }) => id), next, totalSize: kept.length };
}
