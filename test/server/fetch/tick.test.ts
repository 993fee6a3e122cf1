import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test, vi } from "vitest";
import { artifact, completed, defineAgent, working } from "../../../src/index.js";
import { createHandler } from "../../../src/server/fetch/index.js";
import { honoHandler } from "../../../src/server/hono/index.js";
import { nextHandlers } from "../../../src/server/next/index.js";
import { MemoryStore } from "../../../src/stores/index.js";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import type { TaskStore } from "../../../src/stores/task-store.js";
import { temporaryFile } from "../../stores/sqlite/temporary-file.js";
import { gate } from "../../support/both.js";
import { plainCard } from "../../support/peer.js";
import { callText, json, version } from "../scripted-agent.js";

const base = "https://agent.example";
const post = (text: string) => new Request(base, { method: "POST", headers: json, body: text });
const atOnce = callText("SendMessage").replace(/}}$/, ',"configuration":{"returnImmediately":true}}}');
const never = new Promise<never>(() => undefined);

/** A store whose process can freeze: then nothing of it reaches the store any more, and the lease is not renewed. */
function freezing(store: TaskStore) {
  let isFrozen = false;
  const frozen = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...call: unknown[]) => (isFrozen ? never : member.apply(target, call));
    },
  });
  const freeze = () => {
    isFrozen = true;
  };
  return { frozen: frozen as TaskStore, freeze };
}

for (const [name, create] of Object.entries({ createHandler, honoHandler, nextHandlers }))
  test(`a scheduled call takes up what a frozen process has left undone on its store [${name}]`, async (t) => {
    const store = new MemoryStore();
    const { frozen, freeze } = freezing(store);
    const runs: number[] = [];
    const agent = defineAgent({
      card: plainCard,
      attempts: 2,
      async *execute({ attempt }) {
        runs.push(attempt);
        yield working();
        if (attempt === 1) await never;
        yield artifact({ name: "late" }).text("done");
        yield completed();
      },
    });
    const first = createHandler(agent, { store: frozen, leaseTime: 0.3, logger: false });
    t.onTestFinished(() => first.close(0));
    const { result } = (await (await first(post(atOnce))).json()) as any;
    freeze();
    // Its own look for expired leases comes after minutes.
    const second = create(agent, { store, leaseTime: 1000, logger: false });
    t.onTestFinished(() => second.close(0));
    await second.tick();
    assert.deepEqual(runs, [1], "the lease of the frozen process holds");
    await new Promise((resolve) => setTimeout(resolve, 350));
    await second.tick();
    assert.deepEqual(runs, [1, 2]);
    const reader = createHandler(agent, { store, logger: false });
    t.onTestFinished(() => reader.close(0));
    const task = await reader(new Request(`${base}/tasks/${result.task.id}`, { headers: version }));
    assert.equal(((await task.json()) as any).status.state, "TASK_STATE_COMPLETED");
  });

test("what waitUntil gets lasts until tasks have ended that are taken over with the first request", async (t) => {
  const store = new MemoryStore();
  const { frozen, freeze } = freezing(store);
  let isDone = false;
  const agent = defineAgent({
    card: plainCard,
    attempts: 2,
    async *execute({ attempt }) {
      yield working();
      if (attempt === 1) await never;
      yield completed();
      isDone = true;
    },
  });
  const first = createHandler(agent, { store: frozen, leaseTime: 0.1, logger: false });
  t.onTestFinished(() => first.close(0));
  await first(post(atOnce));
  freeze();
  await new Promise((resolve) => setTimeout(resolve, 150));
  // A store over a network: the request is answered before the claim is.
  const slow = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (name !== "claimTasks") return typeof member === "function" ? member.bind(target) : member;
      return async (...call: unknown[]) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return member.apply(target, call);
      };
    },
  });
  const second = createHandler(agent, { store: slow, leaseTime: 1000, logger: false });
  t.onTestFinished(() => second.close(0));
  const waited: Promise<unknown>[] = [];
  const card = new Request(`${base}/.well-known/agent-card.json`);
  await second(card, { waitUntil: (work) => void waited.push(work) });
  assert.equal(isDone, false);
  await Promise.all(waited);
  assert.equal(isDone, true);
});

test("PUSH-12: a scheduled call repeats webhooks that a frozen process could not deliver, from a store on disk", async (t) => {
  const { file, remove } = temporaryFile();
  const stores = [new SqliteStore({ file }), new SqliteStore({ file })] as const;
  const { frozen, freeze } = freezing(stores[0]);
  t.onTestFinished(async () => {
    for (const store of stores) await store.close();
    remove();
  });
  const received: string[] = [];
  let isDown = true;
  const receiver = createServer(async (req, res) => {
    const { task, statusUpdate } = JSON.parse(await text(req));
    if (isDown) res.writeHead(503);
    else received.push((task ?? statusUpdate).status.state);
    res.end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.onTestFinished(() => void receiver.close());
  const { port } = receiver.address() as AddressInfo;
  const agent = defineAgent({
    card: plainCard,
    async *execute() {
      yield working();
      yield completed();
    },
  });
  const push = { allowHttp: true, allowPrivateNetworks: true, firstDelay: 0.05, maxDelay: 0.05 };
  const first = createHandler(agent, { store: frozen, leaseTime: 0.3, push, logger: false });
  t.onTestFinished(() => first.close(0));
  const config = `,"taskPushNotificationConfig":{"url":"http://127.0.0.1:${port}/"}}}}`;
  const { result } = (await (await first(post(atOnce.replace(/}}}$/, config)))).json()) as any;
  assert.ok(result.task, JSON.stringify(result));
  await first.tick();
  freeze();
  assert.deepEqual(received, []);
  isDown = false;
  const second = createHandler(agent, { store: stores[1], leaseTime: 1000, push, logger: false });
  t.onTestFinished(() => second.close(0));
  await new Promise((resolve) => setTimeout(resolve, 350));
  await second.tick();
  // All of it has arrived when the call is over: a platform may stop the process then.
  assert.equal(received.at(-1), "TASK_STATE_COMPLETED");
});

test("a scheduled call takes over webhooks while an executor runs", async (t) => {
  const store = new MemoryStore();
  const claim = vi.spyOn(store, "claimConfigs");
  const ended = gate();
  const agent = defineAgent({
    card: plainCard,
    async *execute() {
      yield working();
      await ended.opened;
    },
  });
  const handler = createHandler(agent, { store, push: {}, leaseTime: 1000, logger: false });
  t.onTestFinished(() => handler.close(0));
  await handler(post(atOnce));
  await vi.waitFor(() => assert.equal(claim.mock.calls.length, 1));
  const ticked = handler.tick();
  await vi.waitFor(() => assert.equal(claim.mock.calls.length, 2));
  ended.open();
  await ticked;
});

test("a scheduled call finds nothing where nothing was left, and after the handler was closed", async () => {
  const handler = createHandler(defineAgent({ card: plainCard, execute: async () => undefined }));
  await handler.tick();
  await handler.close(0);
  await handler.tick();
});
