import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError, completed, inputRequired, reply, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import type { PushRecord } from "../../src/stores/push-store.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";
import { changed, created } from "../task-log/entries.js";
import { Desk, near, scope } from "./desk.js";
import { Webhook } from "./webhook.js";

const inline = (config: object) => ({ configuration: { taskPushNotificationConfig: config } });
const options = { push: near };

/** A store whose calls of one name go another way. */
function detour(store: MemoryStore, name: string, go: (call: () => Promise<unknown>) => Promise<unknown>) {
  return new Proxy(store, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const call = () => value.apply(target, args);
        return key === name ? go(call) : call();
      };
    },
  });
}

for (const idempotentSends of [false, true]) {
  test(`OP-SEND-12: a task that the store makes after its node has given it up has its webhook, ${idempotentSends ? "also when the message comes again" : "and is taken over"}`, async (t) => {
    const webhook = await Webhook.open(t);
    const { opened, open } = gate();
    let appends = 0;
    // The store has lost its connection, and carries the first append out when it has another one.
    const store = detour(new MemoryStore(), "append", async (call) => {
      appends += 1;
      if (appends === 1) await opened;
      return call();
    });
    const { rpc } = await serveExecutor(
      t,
      async function* () {
        yield working();
        yield completed();
      },
      { ...options, store, leaseTime: 0.3 },
      { attempts: 2, idempotentSends },
    );
    const sent = text("go", inline({ url: webhook.url() }));
    assert.ok((await rpc.call("SendMessage", sent)).error);
    open();
    if (idempotentSends) assert.ok((await rpc.call("SendMessage", sent)).result.task);
    await webhook.until(() =>
      webhook.arrivals.some(({ event }) => event.statusUpdate?.status.state === "TASK_STATE_COMPLETED"),
    );
    assert.equal(webhook.arrivals[0]?.event.task?.status.state, "TASK_STATE_WORKING");
  });
}

test("OP-SEND-12: a message that was taken in by a process that did not come to storing its webhook has it when it comes again", async (t) => {
  const webhook = await Webhook.open(t);
  let saves = 0;
  const store = detour(new MemoryStore(), "saveConfig", async (call) => {
    saves += 1;
    if (saves === 1) throw new Error("The connection is gone");
    return call();
  });
  const { rpc } = await serveExecutor(
    t,
    async function* ({ text }) {
      yield text === "end" ? completed() : inputRequired("More?");
    },
    { ...options, store },
    { idempotentSends: true },
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  const message = { taskId: result.task.id };
  const sent = text("end", { message, ...inline({ url: webhook.url() }) });
  assert.equal((await rpc.call("SendMessage", sent)).error, "INTERNAL_ERROR");
  assert.ok((await rpc.call("SendMessage", sent)).result.task);
  await webhook.count(2);
  assert.deepEqual(
    webhook.arrivals.map(({ event }) => event.statusUpdate?.status.state),
    ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"],
  );
});

test("an answer or a refusal of a message arrives although the store fails to remove its webhook", async (t) => {
  const webhook = await Webhook.open(t);
  const store = detour(new MemoryStore(), "deleteConfig", async () => {
    throw new Error("The connection is gone");
  });
  const { rpc } = await serveExecutor(
    t,
    async ({ text }) => {
      if (text === "refuse") throw new A2AError("INVALID_PARAMS", "Not that");
      return reply("Hello");
    },
    { ...options, store },
  );
  const send = (words: string) => rpc.call("SendMessage", text(words, inline({ url: webhook.url() })));
  assert.equal((await send("greet")).result?.message.parts[0].text, "Hello");
  assert.equal((await send("refuse")).message, "Not that");
});

test("a webhook that another attempt at its message has stored again is not removed by the first one that fails", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t);
  const place = { scope, taskId: "task-1", config: { id: "mine", url: webhook.url() }, version: "1.0" };
  const first = await desk.push.configs.attach(place, 0);
  const again = await desk.push.configs.attach(place, 0);
  await desk.push.configs.discard(first);
  assert.equal((await desk.cursor(again))?.state, "open");
  await desk.push.configs.discard(again);
  assert.equal(await desk.cursor(again), undefined);
});

test("a webhook that was removed and stored again while a call for the first one was under way is delivered", async (t) => {
  const webhook = await Webhook.open(t);
  const { opened, open } = gate();
  let reads = 0;
  // Revisions begin anew for a config that was removed, as in a database.
  const revised = new MemoryStore();
  const store = new Proxy(
    detour(revised, "read", async (call) => {
      reads += 1;
      if (reads === 1) await opened;
      return call();
    }),
    {
      get(target, key) {
        const value: any = Reflect.get(target, key, target);
        if (key === "saveConfig")
          return async (...args: unknown[]) => ({ ...(await value(...args)), revision: 1 });
        if (key === "advanceConfig")
          return async (record: PushRecord, ...rest: unknown[]) => {
            const { scope, config } = record;
            const now = await revised.loadConfig(scope, config.taskId, config.id);
            return now?.place === record.place && value({ ...record, revision: now.revision }, ...rest);
          };
        return value;
      },
    },
  );
  const desk = new Desk(t, {}, { store });
  await desk.write("task-1", created(), changed("TASK_STATE_COMPLETED"));
  const first = await desk.hook(webhook.url(), { id: "mine" });
  while (reads === 0) await new Promise((resolve) => setImmediate(resolve));
  await desk.push.configs.delete(scope, { taskId: "task-1", id: first.config.id });
  await desk.hook(webhook.url(), { id: "mine" });
  open();
  await webhook.count(2);
  assert.deepEqual(webhook.generations, [1, 2]);
});
