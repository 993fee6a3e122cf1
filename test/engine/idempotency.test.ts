import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { IdempotentSends } from "../../src/engine/operations/idempotent-sends.js";
import { completed, reply, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { gate, onBoth } from "../support/both.js";
import { plainCard, serveExecutor, serveFor, text } from "../support/peer.js";

const on = { idempotentSends: true };

onBoth(
  "IDEM-03: without the switch the same messageId makes two tasks",
  async function* () {
    yield completed();
  },
  async (peer) => {
    const message = text("go", { message: { messageId: "same" } });
    const first = await peer.call("SendMessage", message);
    const second = await peer.call("SendMessage", message);
    assert.notEqual(first.result.task.id, second.result.task.id);
  },
);

onBoth(
  "IDEM-02, IDEM-03: with it a repeated message gets the task of the first, and other content is refused",
  async function* () {
    yield working();
    yield completed();
  },
  async (peer) => {
    const message = text("go", { message: { messageId: "same" } });
    const first = await peer.call("SendMessage", message);
    const second = await peer.call("SendMessage", { ...message, configuration: { returnImmediately: true } });
    assert.deepEqual(second.result, first.result);
    const other = await peer.call("SendMessage", text("stop", { message: { messageId: "same" } }));
    assert.deepEqual([other.error, other.fields], ["INVALID_PARAMS", ["message.messageId"]]);
    assert.equal((await peer.call("ListTasks")).result.totalSize, 1);
  },
  on,
);

onBoth(
  "IDEM-03: a repeated message is the same when the members of its metadata and data have another order",
  async () => reply("hello"),
  async (peer) => {
    const [data, other] = [
      { a: 1, b: [{ c: 2, d: 3 }] },
      { b: [{ d: 3, c: 2 }], a: 1 },
    ];
    const send = (value: object) =>
      peer.call("SendMessage", {
        metadata: value,
        ...text("go", { message: { messageId: "same", metadata: value, parts: [{ data: value }] } }),
      });
    const first = await send(data);
    assert.equal(first.result.message.parts[0].text, "hello");
    assert.deepEqual((await send(other)).result, first.result);
  },
  on,
);

onBoth(
  "IDEM-03: a repeated message that was answered directly gets the same answer",
  async () => reply("hello"),
  async (peer) => {
    const message = text("go", { message: { messageId: "same" } });
    const first = await peer.call("SendMessage", message);
    assert.deepEqual((await peer.call("SendMessage", message)).result, first.result);
  },
  on,
);

onBoth(
  "IDEM-03: a send that was refused can be sent again",
  async function* () {
    yield completed();
  },
  async (peer) => {
    const wrong = text("go", { message: { messageId: "same", taskId: "nobody" } });
    assert.equal((await peer.call("SendMessage", wrong)).error, "TASK_NOT_FOUND");
    assert.equal((await peer.call("SendMessage", wrong)).error, "TASK_NOT_FOUND");
  },
  on,
);

test("IDEM-03: the Idempotency-Key decides before the messageId does", async (t) => {
  const { rpc, rest } = await serveExecutor(
    t,
    async function* () {
      yield completed();
    },
    {},
    on,
  );
  const message = text("go", { message: { messageId: "same" } });
  const first = await rpc.call("SendMessage", message, { "Idempotency-Key": "one" });
  const again = await rest.call("SendMessage", message, { "Idempotency-Key": "one" });
  const other = await rpc.call("SendMessage", message, { "Idempotency-Key": "two" });
  assert.equal(again.result.task.id, first.result.task.id);
  assert.notEqual(other.result.task.id, first.result.task.id);
  const refused = await rpc.call("SendMessage", text("stop"), { "Idempotency-Key": "one" });
  assert.deepEqual([refused.error, refused.fields], ["INVALID_PARAMS", ["Idempotency-Key"]]);
});

test("IDEM-03: a message that reuses the id of an earlier one in its task, with another key and text, reaches the executor", async (t) => {
  const { rpc } = await serveExecutor(
    t,
    async function* ({ ask }) {
      const { parts } = yield* ask("What next?");
      yield completed(parts);
    },
    {},
    on,
  );
  const message = { messageId: "same" };
  const first = await rpc.call("SendMessage", text("go", { message }), { "Idempotency-Key": "one" });
  const { id: taskId } = first.result.task;
  const answer = text("stop", { message: { ...message, taskId } });
  const { result } = await rpc.call("SendMessage", answer, { "Idempotency-Key": "two" });
  assert.equal(result.task.status.message.parts[0].text, "stop");
});

for (const [version, named] of [
  ["0.1", { id: "mine" }],
  ["0.1", {}],
  ["0.1-flat", {}],
] as const) {
  const ids = "id" in named ? "with a task id" : "without ids";
  test(`IDEM-03: a message of ${version} has no id, and its Idempotency-Key makes it one that is repeated [${ids}]`, async (t) => {
    let runs = 0;
    const { url } = await serveExecutor(
      t,
      async function* () {
        runs += 1;
        yield completed();
      },
      { versions: [version] },
      on,
    );
    const send = async (words: string, key: string, more: object = {}) => {
      const message = { role: "user", parts: [{ type: "text", text: words }] };
      const response = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": key },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tasks/send" },
          params: { ...named, message, ...more },
        }),
      });
      const { result, error }: any = await response.json();
      return result ?? error;
    };
    const first = await send("go", "one");
    assert.equal(first.status.state, "completed");
    const again = await send("go", "one", { historyLength: 5 });
    assert.deepEqual([again.id, again.status, runs], [first.id, first.status, 1]);
    assert.equal((await send("stop", "one")).code, -32602);
    assert.equal((await send("go", "one", { metadata: { more: true } })).code, -32602);
    if ("id" in named) return;
    const other = await send("go", "two");
    assert.notEqual(other.id, first.id);
    assert.equal(runs, 2);
    const metadata = { a: 1, b: 2 };
    const third = await send("go", "three", { metadata });
    assert.equal((await send("go", "three", { metadata: { b: 2, a: 1 } })).id, third.id);
  });
}

for (const version of ["0.1", "0.1-flat"] as const) {
  test(`IDEM-03: without the switch an Idempotency-Key has no effect on the ids of ${version}`, async (t) => {
    let runs = 0;
    const messageIds = new Set<string>();
    const { url } = await serveExecutor(
      t,
      async function* ({ message }) {
        runs += 1;
        messageIds.add(message.messageId);
        yield completed();
      },
      { versions: [version] },
    );
    const send = async () => {
      const message = { role: "user", parts: [{ type: "text", text: "go" }] };
      const response = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": "one" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/send", params: { message } }),
      });
      const { result, error }: any = await response.json();
      return result ?? error;
    };
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.status?.state, second.status?.state], ["completed", "completed"]);
    assert.notEqual(first.id, second.id);
    assert.deepEqual([runs, messageIds.size], [2, 2]);
  });
}

test("IDEM-03: a repeated send while the first is under way waits for its outcome and runs nothing", async (t) => {
  const arrived = gate();
  const proceed = gate();
  let runs = 0;
  const { rpc, rest } = await serveExecutor(
    t,
    async function* () {
      runs += 1;
      arrived.open();
      await proceed.opened;
      yield completed();
    },
    {},
    on,
  );
  const message = text("go", { message: { messageId: "same" } });
  const first = rpc.call("SendMessage", message);
  await arrived.opened;
  const second = rest.call("SendMessage", message);
  await rest.call("ListTasks");
  proceed.open();
  assert.deepEqual((await second).result, (await first).result);
  assert.equal(runs, 1);
});

test("idempotent sends on a store that cannot remember them are a start-up error", async (t) => {
  const store = new MemoryStore();
  const { append, load, read, wait, list } = store;
  const bare = { append, load, read, wait, list };
  const agent = { card: plainCard, execute: async () => reply(""), ...on };
  await assert.rejects(serveFor(t, agent, { store: bare }), /idempotentSends.*SendLedger/);
});

test("IDEM-03: the error of a refused send reaches the caller even if the store fails to release its key", async (t) => {
  class Failing extends MemoryStore {
    override async releaseSend(): Promise<void> {
      throw new Error("no connection");
    }
  }
  const agent = { card: plainCard, execute: async () => reply(""), ...on };
  const { rpc } = await serveFor(t, agent, { store: new Failing() });
  const wrong = text("go", { message: { messageId: "same", taskId: "nobody" } });
  assert.equal((await rpc.call("SendMessage", wrong)).error, "TASK_NOT_FOUND");
  assert.equal((await rpc.call("SendMessage", wrong)).error, "TASK_NOT_FOUND");
});

test("IDEM-03: the record of a failed send is not renewed while it is being released", async () => {
  const clock = new ManualClock();
  const ledger = new MemoryStore({ clock });
  const sends = new IdempotentSends({ ledger, clock, lease: { node: "here", duration: 3000 } });
  const { open, opened } = gate();
  const release = ledger.releaseSend.bind(ledger);
  vi.spyOn(ledger, "releaseSend").mockImplementation(async (...of) => {
    await release(...of);
    await opened;
  });
  const scope = { agent: "", tenant: "", owner: "" };
  const identity = sends.identify(scope, text("go") as never);
  const failed = gate();
  const sent = sends.once(identity, async () => {
    await failed.opened;
    throw new Error("refused");
  });
  const there = { node: "there", duration: 3000 };
  const claim = () => ledger.claimSend(scope, identity.key, identity.fingerprint, there);
  clock.advance(2000);
  clock.advance(2000);
  assert.notEqual(await claim(), undefined);
  failed.open();
  await new Promise(setImmediate);
  clock.advance(1000);
  assert.equal(await claim(), undefined);
  open();
  await assert.rejects(sent, /refused/);
});
