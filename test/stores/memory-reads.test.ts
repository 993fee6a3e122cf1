import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { generationOf } from "../../src/task-log/log.js";
import { changed, created, fromAgent, fromUser, taskId, wrote } from "../task-log/entries.js";
import { scope } from "./scope.js";

const elsewhere = { ...scope, owner: "someone else" };

test("a wake-up reaches the waiters of its own task only, and leaves nothing", async () => {
  const store = new MemoryStore();
  const { signal } = new AbortController();
  await store.append(scope, taskId, 0, [created()]);
  await store.append(scope, "other", 0, [created({ id: "other" })]);
  await store.append(elsewhere, taskId, 0, [created()]);
  const waits = [
    store.wait(scope, taskId, 1, signal),
    store.wait(scope, taskId, 1, signal),
    store.wait(scope, "other", 1, signal),
    store.wait(elsewhere, taskId, 1, signal),
  ];
  assert.equal(store.waiting(), 4);
  await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
  assert.equal(store.waiting(), 2);
  await store.append(elsewhere, taskId, 1, [changed("TASK_STATE_COMPLETED")]);
  await store.append(scope, "other", 1, [wrote({ artifactId: "a" }, {}, "other")]);
  assert.equal(store.waiting(), 0);
  await Promise.all(waits);
});

test("a thousand waiters that leave are gone", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created()]);
  const controllers = Array.from({ length: 1000 }, () => new AbortController());
  const waits = controllers.map(({ signal }) => store.wait(scope, taskId, 1, signal));
  assert.equal(store.waiting(), 1000);
  for (const controller of controllers) controller.abort();
  await Promise.all(waits);
  assert.equal(store.waiting(), 0);
});

test("a refused append wakes nobody", async () => {
  const store = new MemoryStore();
  const controller = new AbortController();
  await store.append(scope, taskId, 0, [created()]);
  const wait = store.wait(scope, taskId, 1, controller.signal);
  await assert.rejects(store.append(scope, taskId, 0, [created()]));
  await store.append(scope, taskId, 1, []);
  assert.equal(store.waiting(), 1);
  controller.abort();
  await wait;
});

test("the size counts the tasks of all scopes, and clear deletes them and wakes whoever waits", async () => {
  const store = new MemoryStore();
  const { signal } = new AbortController();
  assert.equal(store.size(), 0);
  await store.append(scope, taskId, 0, [created()]);
  await store.append(elsewhere, taskId, 0, [created()]);
  await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
  await store.list(scope, { pageSize: 1 });
  assert.equal(store.size(), 2);
  const wait = store.wait(scope, taskId, 2, signal);
  store.clear();
  await wait;
  assert.equal(store.size(), 0);
  assert.equal(store.waiting(), 0);
  assert.equal(await store.load(scope, taskId), undefined);
  assert.deepEqual(await store.list(scope, { pageSize: 1 }), { tasks: [], totalSize: 0 });
  assert.equal(await store.append(scope, taskId, 0, [created()]), 1);
});

test("what the store gives out is frozen all the way down", async () => {
  const store = new MemoryStore();
  const log = [
    created({ metadata: { deep: { list: [{}] } } }),
    wrote({ artifactId: "a", parts: [{ data: { list: [{}] } }] }),
    wrote({ artifactId: "a" }, { append: true }),
    changed("TASK_STATE_INPUT_REQUIRED", { says: fromAgent("question") }),
    changed("TASK_STATE_WORKING", { asked: fromUser("answer") }),
  ];
  const look = async () => {
    assertFrozen(await store.load(scope, taskId), "task");
    for (const entry of (await store.read(scope, taskId, 0)) ?? []) assertFrozen(entry, "entry");
    for (const task of (await store.list(scope, { pageSize: 1 })).tasks) assertFrozen(task, "listed task");
  };
  await store.append(scope, taskId, 0, log);
  await look();
  await store.append(scope, taskId, log.length, [changed("TASK_STATE_COMPLETED")]);
  await look();
});

function assertFrozen(value: unknown, path: string): void {
  if (typeof value !== "object" || value === null) return;
  assert.ok(Object.isFrozen(value), `${path} is not frozen`);
  for (const [key, member] of Object.entries(value)) assertFrozen(member, `${path}.${key}`);
}

test("a read gives an array of its own, with the same tagged entries for every reader", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
  const [first, second] = [await store.read(scope, taskId, 0), await store.read(scope, taskId, 0)];
  assert.notEqual(first, second);
  assert.equal(first?.[1], second?.[1]);
  assert.deepEqual(
    first?.map(({ event }) => generationOf(event)),
    [1, 2],
  );
});

test("an event of one log can be appended to another", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" }), wrote({ artifactId: "b" })]);
  const [first, , third] = (await store.read(scope, taskId, 0)) ?? [];
  await store.append(elsewhere, taskId, 0, [first!, third!]);
  const events = (await store.read(elsewhere, taskId, 0))?.map(({ event }) => event) ?? [];
  assert.deepEqual(events.map(generationOf), [1, 2]);
  assert.equal(generationOf(third!.event), 3);
});

test("values that refer to themselves or nest deeper than the stack do not stop the store", async () => {
  const store = new MemoryStore();
  const circle: { self?: unknown; bytes: Uint8Array } = { bytes: new Uint8Array(4) };
  circle.self = circle;
  let deep: unknown = {};
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  await store.append(scope, taskId, 0, [created({ metadata: { circle, deep } })]);
  assert.equal((await store.load(scope, taskId))?.generation, 1);
});

test("the outcome of a send and the scope of a claimed task cannot be changed by who stored or read them", async () => {
  const store = new MemoryStore();
  const lease = { node: "one", duration: 0, token: "one-1" };
  const reply = fromAgent("reply");
  await store.claimSend(scope, "k", "f", lease);
  await store.settleSend(scope, "k", { reply });
  reply.messageId = "changed";
  const record = await store.claimSend(scope, "k", "f", lease);
  assert.deepEqual(record, { fingerprint: "f", outcome: { reply: fromAgent("reply") } });
  assert.throws(() => Object.assign(record?.outcome ?? {}, { reply }), TypeError);
  await store.append(scope, taskId, 0, [created()], { lease, work: 1 });
  const [claimed] = await store.claimTasks(scope.agent, lease, 1);
  assert.throws(() => Object.assign(claimed?.scope ?? {}, { owner: "other" }), TypeError);
});
