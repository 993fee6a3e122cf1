import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { registration } from "../../src/testing/store-contract/opened-store.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { at, end, finish, KIB, lease, left, make, open, refusal, text } from "./bounded-memory.js";

test("SEC-08: beyond the bound of an owner its tasks go in the order in which they ended, others stay", async () => {
  const { store } = make({ maxBytesPerOwner: 100 * KIB });
  const [mine, theirs] = [at("me"), at("them")];
  await finish(store, theirs, "x", 90);
  for (const id of ["a", "b", "c"]) await open(store, mine, id, 30);
  for (const id of ["b", "c", "a"]) await end(store, mine, id);
  await finish(store, mine, "d", 30);
  assert.deepEqual(await left(store, mine, "a", "b", "c", "d"), ["a", "c", "d"]);
  await finish(store, mine, "e", 30);
  assert.deepEqual(await left(store, mine, "a", "c", "d", "e"), ["a", "d", "e"]);
  await finish(store, mine, "f", 60);
  assert.deepEqual(await left(store, mine, "a", "d", "e", "f"), ["e", "f"]);
  assert.deepEqual(await left(store, theirs, "x"), ["x"]);
  assert.ok(store.bytes("me") <= 100 * KIB, `${store.bytes("me")}`);
  assert.equal((await store.list(mine, { pageSize: 10 })).totalSize, 2);
});

test("SEC-08: the bound of an owner counts all its tenants and all agents", async () => {
  const { store } = make({ maxBytesPerOwner: 100 * KIB });
  await finish(store, at("me"), "a", 40);
  await finish(store, at("me", { tenant: "made up" }), "b", 40);
  await finish(store, at("me", { agent: "another" }), "c", 40);
  assert.deepEqual(await left(store, at("me"), "a"), []);
  assert.deepEqual(await left(store, at("me", { tenant: "made up" }), "b"), ["b"]);
  assert.equal(store.bytes("me"), store.bytes());
});

test("SEC-08: beyond the bound on all the owner with the most gives way", async () => {
  const { store } = make({ maxBytes: 200 * KIB });
  for (const id of ["a", "b", "c"]) await finish(store, at("large"), id, 40);
  await finish(store, at("small"), "a", 20);
  await finish(store, at("new"), "a", 60);
  assert.deepEqual(await left(store, at("large"), "a", "b", "c"), ["b", "c"]);
  assert.deepEqual(await left(store, at("small"), "a"), ["a"]);
  await finish(store, at("large"), "d", 40);
  assert.deepEqual(await left(store, at("large"), "b", "c", "d"), ["c", "d"]);
  assert.deepEqual(await left(store, at("new"), "a"), ["a"]);
});

test("SEC-08: no owner takes the place of others while it holds more itself", async () => {
  const { store } = make({ maxBytes: 200 * KIB });
  await finish(store, at("other"), "a", 60);
  await open(store, at("greedy"), "open", 100);
  // All that it has is open, so it has nothing to give; others have less than it.
  const error = await refusal(open(store, at("greedy"), "more", 60));
  assert.match(error.message, /all callers/);
  assert.deepEqual(await left(store, at("other"), "a"), ["a"]);
  assert.deepEqual(await left(store, at("greedy"), "open", "more"), ["open"]);
  // As much as another has is not less.
  await open(store, at("third"), "a", 20);
  assert.deepEqual(await left(store, at("other"), "a"), ["a"]);
  await end(store, at("greedy"), "open");
  await open(store, at("third"), "b", 40);
  assert.deepEqual(await left(store, at("greedy"), "open"), []);
  assert.deepEqual(await left(store, at("third"), "a", "b"), ["a", "b"]);
});

test("SEC-08: tasks at work are never deleted; what there is no room for is refused, and nothing goes in vain", async () => {
  const { store } = make({ maxBytesPerOwner: 100 * KIB });
  const mine = at("me");
  await finish(store, mine, "ended", 20);
  await open(store, mine, "open", 60);
  const before = store.bytes();
  const error = await refusal(open(store, mine, "new", 50));
  assert.match(error.message, /Your tasks/);
  await refusal(store.append(mine, "open", 2, [wrote(text(50), { append: true }, "open")]));
  assert.deepEqual(await left(store, mine, "ended", "open", "new"), ["ended", "open"]);
  assert.equal((await store.load(mine, "open"))?.generation, 2);
  assert.equal(store.bytes(), before);
  await store.append(mine, "open", 2, [wrote(text(30), { append: true }, "open")]);
  assert.deepEqual(await left(store, mine, "ended", "open"), ["open"]);
});

test("SEC-08: a task can be ended when there is no room at all, and then makes room", async () => {
  const { store } = make({ maxBytes: 64 * KIB });
  const mine = at("me");
  await open(store, mine, "a", 30);
  await open(store, mine, "b", 29);
  const busy = changed("TASK_STATE_WORKING", { id: "b" });
  for (let last = 2, isFull = false; !isFull; last += 1)
    isFull = await store.append(mine, "b", last, [busy]).then(
      () => false,
      () => true,
    );
  await refusal(store.append(mine, "a", 2, [changed("TASK_STATE_WORKING", { id: "a" })]));
  const says = { messageId: "m", role: "ROLE_AGENT" as const, parts: [{ text: "x".repeat(4096) }] };
  await refusal(store.append(mine, "a", 2, [changed("TASK_STATE_FAILED", { id: "a", says })]));
  await refusal(
    store.append(mine, "new", 0, [created({ id: "new" }), changed("TASK_STATE_FAILED", { id: "new" })]),
  );
  await end(store, mine, "a", "TASK_STATE_CANCELED");
  assert.ok(store.bytes() < 66 * KIB);
  await open(store, mine, "c", 20);
  assert.deepEqual(await left(store, mine, "a", "b", "c"), ["b", "c"]);
  assert.ok(store.bytes() <= 64 * KIB);
});

test("a task whose entries are gone counts for what is left of it", async () => {
  const { store, clock } = make({});
  const mine = at("me");
  await store.append(mine, "a", 0, [
    created({ id: "a" }),
    wrote(text(50), {}, "a"),
    wrote(text(20), {}, "a"),
    wrote({ artifactId: "b", parts: [{ text: "" }] }, {}, "a"),
    changed("TASK_STATE_COMPLETED", { id: "a" }),
  ]);
  assert.ok(store.bytes() > 70 * KIB);
  clock.advance(60_000);
  assert.ok(store.bytes() > 20 * KIB && store.bytes() < 22 * KIB, `${store.bytes()}`);
});

test("SEC-08: push configs count, also before their task is there, and go with it", async () => {
  const { store } = make({ maxBytesPerOwner: 64 * KIB });
  const mine = at("me");
  const config = (id: string, token = "") => ({
    ...registration(id),
    config: { ...registration(id).config, token },
  });
  await store.saveConfig(mine, config("a", "x".repeat(4000)));
  const alone = store.bytes();
  assert.ok(alone > 4000);
  await store.append(mine, "task-1", 0, [created()]);
  const both = store.bytes();
  await store.saveConfig(mine, config("a", "x".repeat(3000)));
  assert.equal(store.bytes(), both - 1000);
  await store.deleteConfig(mine, "task-1", "a");
  assert.equal(store.bytes(), both - alone);
  await store.deleteConfig(mine, "task-1", "a");
  assert.equal(store.bytes(), both - alone);
  for (let index = 0; index < 5; index += 1)
    await store.saveConfig(mine, config(`${index}`, "x".repeat(4000)));
  await end(store, mine, "task-1");
  await open(store, mine, "large", 50);
  assert.deepEqual([store.size(), store.configs()], [1, 0]);
  const many = { ...registration("b"), limit: 1000, ownerLimit: 1000 };
  await assert.rejects(
    async () => {
      for (let index = 0; index < 30; index += 1)
        await store.saveConfig(mine, { ...many, config: { ...many.config, id: `c${index}` } });
    },
    { code: "UNAVAILABLE" },
  );
  assert.ok(store.configs() > 5);
  assert.ok(store.bytes() <= 64 * KIB);
});

test("SEC-08: a push config for a task that has to make room for it is refused", async () => {
  const { store } = make({ maxBytes: 20 * KIB });
  await finish(store, at("me"), "task-1", 14);
  const token = "x".repeat(8 * KIB);
  const { config, ...rest } = registration("a");
  await refusal(store.saveConfig(at("me"), { ...rest, config: { ...config, token } }));
  assert.deepEqual([store.size(), store.configs(), store.bytes()], [0, 0, 0]);
});

test("SEC-08, IDEM-03: sends count; those that were answered make room, those under way stay", async () => {
  const { store } = make({ maxBytesPerOwner: 32 * KIB });
  const mine = at("me");
  const reply = (kib: number) => {
    const message = { messageId: "m", role: "ROLE_AGENT" as const, parts: [{ text: "x".repeat(kib * KIB) }] };
    return { reply: message };
  };
  await store.claimSend(mine, "under way", "f", lease);
  for (const key of ["a", "b", "c"]) {
    await store.claimSend(mine, key, "f", lease);
    await store.settleSend(mine, key, reply(8));
  }
  await store.claimSend(mine, "d", "f", lease);
  await store.settleSend(mine, "d", reply(16));
  const known = async (key: string) =>
    (await store.claimSend(mine, key, "f", { node: "x", duration: 0 })) !== undefined;
  assert.deepEqual([await known("c"), await known("d"), await known("under way")], [true, true, true]);
  // An answer that there is no room for at all is not remembered.
  await open(store, mine, "open", 10);
  await store.settleSend(mine, "under way", reply(40));
  const bytes = store.bytes();
  assert.equal(await known("under way"), false);
  await store.releaseSend(mine, "under way");
  assert.equal(store.bytes(), bytes);
  await assert.rejects(
    async () => {
      for (let index = 0; index < 100; index += 1) await store.claimSend(mine, `key ${index}`, "f", lease);
    },
    { code: "UNAVAILABLE" },
  );
});

test("what is too old takes its bytes with it, and clear takes all", async () => {
  const { store, clock } = make({ ttl: { TASK_STATE_COMPLETED: 1000 } });
  await finish(store, at("me"), "a", 10);
  await store.saveConfig(at("me"), {
    ...registration("b"),
    config: { ...registration("b").config, taskId: "a" },
  });
  await store.claimSend(at("me"), "key", "f", lease);
  clock.advance(1000);
  assert.ok(store.bytes() < KIB);
  clock.advance(24 * 3600 * 1000);
  await store.claimSend(at("other"), "key", "f", lease);
  assert.equal(store.bytes("me"), 0);
  await open(store, at("me"), "c", 10);
  store.clear();
  assert.equal(store.bytes(), 0);
  await open(store, at("me"), "c", 10);
  assert.ok(store.bytes("me") > 10 * KIB);
});

for (const options of [{ maxBytes: -1 }, { maxBytesPerOwner: Number.NaN }]) {
  test(`a bound that is none is refused: ${JSON.stringify(options)}`, () => {
    assert.throws(() => new MemoryStore(options), TypeError);
  });
}
