import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import { type ExecutionContext, textOf, working } from "../../src/index.js";
import { MessageBytes } from "../../src/server/message-bytes.js";
import { type LogEntry, MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { gate } from "../support/both.js";
import { text } from "../support/peer.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";

const scope = { agent: "", tenant: "", owner: "" };
const ids = { taskId: "t", contextId: "c" };

/** The entry that records a message of more bytes than are left uncounted. */
function entryOf(words: string, more: object = {}): LogEntry {
  const { message } = text(words, { message: { ...ids, ...more, metadata: { filler: "x".repeat(2048) } } });
  const status = { state: "TASK_STATE_WORKING" } as const;
  return { event: { statusUpdate: { ...ids, status } }, message: message as never };
}

/** A task that a node has left with two messages, which the only other node takes over once its lease is over. */
async function leftTask(
  execute: (context: ExecutionContext) => AsyncGenerator<ReturnType<typeof working>>,
  { attempts = 2, references = [] as string[] } = {},
) {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const first = entryOf("first");
  const { message = {} } = first;
  const status = { state: "TASK_STATE_WORKING" } as const;
  const task = { id: "t", contextId: "c", status, history: [message as never] };
  const lease = { node: "gone", duration: LEASE, token: "gone" };
  await store.append(scope, "t", 0, [{ event: { task } }], { lease, work: 1 });
  const more = entryOf("second", { referenceTaskIds: references });
  await store.append(scope, "t", 1, [more], { external: true });
  const limit = 2 ** 20;
  const messages = new MessageBytes({ messages: limit, messagesPerPrincipal: limit });
  const node = new ClockedEngine(store, execute, { clock, attempts, messageLimiter: messages });
  return { store, node, messages, lose: () => node.pass(LEASE + 500) };
}

/** Makes reads of the task to which a message refers wait. @returns a function that lets them through */
function holdReferenced(store: MemoryStore): () => void {
  const { open, opened } = gate();
  const load = store.load.bind(store);
  vi.spyOn(store, "load").mockImplementation(async (owner, id) => {
    if (id === "other") await opened;
    return load(owner, id);
  });
  return open;
}

/** Makes the next read of a log wait. @returns a function that lets it through */
function holdRead(store: MemoryStore): () => void {
  const { open, opened } = gate();
  const read = store.read.bind(store);
  vi.spyOn(store, "read").mockImplementationOnce(async (...range) => {
    await opened;
    return read(...range);
  });
  return open;
}

async function* untilAborted({ signal }: ExecutionContext) {
  yield working();
  await once(signal, "abort");
}

test("SEC-08: the messages of a task that could not be taken over are counted no more", async () => {
  const { store, node, messages, lose } = await leftTask(untilAborted, { references: ["other"] });
  const load = store.load.bind(store);
  vi.spyOn(store, "load").mockImplementation(async (owner, id) => {
    if (id === "other") throw new Error("away");
    return load(owner, id);
  });
  await lose();
  await node.logger.told("A task could not be taken over");
  assert.equal(messages.size, 0);
});

test("SEC-08: nor are those of a task whose lease ends while it is taken over, and no executor gets them", async () => {
  let runs = 0;
  const { store, node, messages, lose } = await leftTask(
    async function* () {
      runs += 1;
      yield working();
    },
    { references: ["other"] },
  );
  const open = holdReferenced(store);
  await lose();
  assert.ok(messages.size > 2048);
  vi.spyOn(store, "renewTasks").mockReturnValue(new Promise(() => undefined));
  await node.pass(LEASE + 100);
  open();
  await turns();
  assert.deepEqual([runs, messages.size], [0, 0]);
});

test("SEC-08: nor is one that arrives while a task fails because it is not restarted", async () => {
  const { store, node, messages, lose } = await leftTask(untilAborted, { attempts: 1 });
  const append = store.append.bind(store);
  vi.spyOn(store, "append").mockImplementationOnce(async (...call) => {
    await append(scope, "t", 2, [entryOf("third")], { external: true });
    return append(...call);
  });
  await lose();
  assert.equal(await node.state("t"), "TASK_STATE_FAILED");
  assert.equal(messages.size, 0);
});

test("SEC-08: nor is one whose task another node has ended in the meantime", async () => {
  const { store, node, messages, lose } = await leftTask(untilAborted);
  await lose();
  assert.ok(messages.size > 4096);
  const canceled = { ...ids, status: { state: "TASK_STATE_CANCELED" } } as const;
  const { generation = 0 } = (await store.load(scope, "t")) ?? {};
  const entries = [entryOf("third"), { event: { statusUpdate: canceled } }];
  await store.append(scope, "t", generation, entries, { external: true });
  await node.engine.idle();
  assert.equal(messages.size, 0);
});

test("SEC-08: nor is one that is still being read from the log when the lease is lost", async () => {
  const { store, node, messages, lose } = await leftTask(untilAborted);
  await lose();
  const open = holdReferenced(store);
  const { generation = 0 } = (await store.load(scope, "t")) ?? {};
  const third = entryOf("third", { referenceTaskIds: ["other"] });
  await store.append(scope, "t", generation, [third], { external: true });
  vi.spyOn(store, "renewTasks").mockReturnValue(new Promise(() => undefined));
  await node.pass(LEASE + 100);
  await node.engine.idle();
  open();
  await turns();
  assert.equal(messages.size, 0);
});

test("SEC-08: nor are messages whose read from the log fails, until they are read again", async () => {
  const { open, opened } = gate();
  const { store, node, messages, lose } = await leftTask(async function* ({ signal }) {
    yield working();
    await Promise.race([opened, once(signal, "abort")]);
  });
  await lose();
  const counted = messages.size;
  const load = store.load.bind(store);
  let failures = 3;
  vi.spyOn(store, "load").mockImplementation(async (owner, id) => {
    if (id !== "other") return load(owner, id);
    failures -= 1;
    if (failures >= 0) throw new Error("away");
    return undefined;
  });
  const { generation = 0 } = (await load(scope, "t")) ?? {};
  const entries = [entryOf("third"), entryOf("fourth", { referenceTaskIds: ["other"] })];
  await store.append(scope, "t", generation, entries, { external: true });
  await node.pass(1000);
  assert.equal(failures, -1);
  assert.ok(messages.size > counted + 4096 && messages.size < counted + 6144, `${messages.size - counted}`);
  open();
  await node.engine.idle();
  assert.equal(messages.size, 0);
});

test("a message that arrives while its task is taken over reaches the executor once, after the earlier ones", async () => {
  const told: string[] = [];
  const { store, node, lose } = await leftTask(
    async function* ({ text: said, nextMessage }) {
      told.push(said);
      for (let left = 2; left > 0; left -= 1) told.push(textOf(await nextMessage()));
      yield working();
    },
    { references: ["other"] },
  );
  const load = store.load.bind(store);
  vi.spyOn(store, "load").mockImplementation(async (owner, id) => {
    if (id === "other" && (await load(scope, "t"))?.generation === 2) {
      await store.append(scope, "t", 2, [entryOf("third")], { external: true });
      await turns();
    }
    return load(owner, id);
  });
  // Too short a time for a renewal of the lease, which would find the third one.
  await lose();
  await turns(20);
  assert.deepEqual(told, ["first", "second", "third"]);
  assert.equal(await node.state("t"), "TASK_STATE_COMPLETED");
});

for (const [step, hold] of [
  ["its messages are read", holdRead],
  ["a task that they refer to is read", holdReferenced],
] as const) {
  test(`a task that is canceled while it is taken over, when ${step}, is left alone`, async () => {
    let runs = 0;
    const { store, messages, lose } = await leftTask(
      async function* () {
        runs += 1;
        yield working();
      },
      { references: ["other"] },
    );
    const open = hold(store);
    await lose();
    const status = { state: "TASK_STATE_CANCELED" } as const;
    await store.append(scope, "t", 2, [{ event: { statusUpdate: { ...ids, status } } }], { external: true });
    await turns();
    open();
    await turns(20);
    assert.deepEqual([runs, messages.size, store.leases()], [0, 0, 0]);
  });
}
