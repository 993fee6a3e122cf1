import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { MemoryTask } from "../../src/stores/memory/memory-task.js";
import { Owner } from "../../src/stores/memory/owner.js";
import { TaskOrder } from "../../src/stores/memory/task-order.js";
import { MemoryStore } from "../../src/stores/memory.js";
import { prepare } from "../../src/stores/prepare.js";
import type { TaskQuery } from "../../src/stores/task-store.js";
import { changed, created } from "../task-log/entries.js";
import { scope } from "./scope.js";

const at = (milliseconds: number) => new Date(Date.UTC(2025, 0, 1) + milliseconds).toISOString();

/** How many tasks are looked at while something is done: every comparison and every result asks a task for something. */
async function looks(run: () => Promise<unknown>): Promise<number> {
  const names = ["timestamp", "task", "status"] as const;
  const originals = names.map((name) => Object.getOwnPropertyDescriptor(MemoryTask.prototype, name)!);
  let count = 0;
  for (const [index, name] of names.entries()) {
    const { get } = originals[index]!;
    Object.defineProperty(MemoryTask.prototype, name, {
      configurable: true,
      get(this: MemoryTask) {
        count += 1;
        return get?.call(this);
      },
    });
  }
  try {
    await run();
  } finally {
    for (const [index, name] of names.entries()) {
      Object.defineProperty(MemoryTask.prototype, name, originals[index]!);
    }
  }
  return count;
}

async function filled(count: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  for (let index = 0; index < count; index += 1) {
    const id = `task-${index}`;
    const contextId = index % (count / 100) === 0 ? "hundred" : `context-${index}`;
    const status = { state: "TASK_STATE_WORKING" as const, timestamp: at(index) };
    await store.append(scope, id, 0, [created({ id, contextId, status })]);
  }
  return store;
}

const queries: readonly TaskQuery[] = [
  { pageSize: 50 },
  { pageSize: 50, position: { timestamp: at(700), taskId: "task" } },
  { pageSize: 50, contextId: "hundred" },
  { pageSize: 50, contextId: "hundred", status: "TASK_STATE_WORKING" },
  { pageSize: 50, status: "TASK_STATE_WORKING", statusTimestampAfter: at(300) },
];

test("OP-LIST-16: a page of 50 and its total look at as many tasks among 10,000 as among 1,000", async () => {
  const [small, large] = [await filled(1000), await filled(10_000)];
  for (const query of queries) {
    // The first list of a kind builds its order, once.
    for (const store of [small, large]) await store.list(scope, query);
    const few = await looks(() => small.list(scope, query));
    const many = await looks(() => large.list(scope, query));
    assert.ok(few > 50 && many < few + 60, `${few} and ${many} for ${JSON.stringify(query)}`);
  }
  const id = "task-500";
  const update = [changed("TASK_STATE_INPUT_REQUIRED", { id, at: at(1e6) })];
  const cost = await looks(() => large.append(scope, id, 1, update));
  assert.ok(cost < 400, `${cost} for moving a task`);
});

test("an order of tasks counts, finds and cuts like a sorted array, however it came about", () => {
  const operation = fc.record({
    id: fc.nat({ max: 1500 }),
    at: fc.nat({ max: 50 }),
    times: fc.nat({ max: 600 }),
  });
  fc.assert(
    fc.property(
      fc.array(operation, { maxLength: 12 }),
      fc.nat({ max: 1500 }),
      fc.nat({ max: 50 }),
      (all, id, place) => {
        const order = new TaskOrder();
        const model = new Map<number, MemoryTask>();
        for (const one of all) {
          for (let turn = 0; turn < one.times; turn += 1)
            toggle(order, model, (one.id + turn) % 1500, one.at + (turn % 3));
        }
        const sorted = [...model.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
        assert.equal(order.size, sorted.length);
        assert.deepEqual([...order], sorted);
        assert.deepEqual([...new TaskOrder(model.values())], sorted);
        const rank = sorted.filter((task) => key(task) < `${at(place)} ${id}`).length;
        assert.equal(order.rank(at(place), `${id}`), rank);
        assert.deepEqual(
          order.backwards(rank - 20, rank),
          sorted.slice(Math.max(rank - 20, 0), rank).reverse(),
        );
      },
    ),
    { numRuns: 60 },
  );
});

const key = (task: MemoryTask) => `${task.timestamp} ${task.id}`;

/** Takes a task out when it is in, puts it in when it is not. */
function toggle(
  order: TaskOrder,
  model: Map<number, MemoryTask>,
  number: number,
  milliseconds: number,
): void {
  const known = model.get(number);
  if (known !== undefined) {
    order.remove(known);
    model.delete(number);
    return;
  }
  const task = new MemoryTask("scope", new Owner("owner"));
  const status = { state: "TASK_STATE_WORKING" as const, timestamp: at(milliseconds) };
  task.append(prepare([created({ id: `${number}`, status })], 0));
  order.insert(task);
  model.set(number, task);
}

test("a task that is not where its timestamp says is noticed", () => {
  const task = new MemoryTask("scope", new Owner("owner"));
  task.append(prepare([created()], 0));
  assert.throws(() => new TaskOrder().remove(task), /is not at the position/);
});
