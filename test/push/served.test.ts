import assert from "node:assert/strict";
import { test } from "vitest";
import {
  artifact,
  type CardInput,
  completed,
  type Executor,
  inputRequired,
  working,
} from "../../src/index.js";
import { UrlGuard, UrlRefused } from "../../src/push/index.js";
import { CardError, type DeadLetter } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { collect, plainCard, serveExecutor, text } from "../support/peer.js";
import { canary } from "./canary.js";
import { near } from "./desk.js";
import { inwardUrls } from "./inward-urls.js";
import { once, Webhook } from "./webhook.js";

const CREATE = "CreateTaskPushNotificationConfig";
const inline = (config: object) => ({ configuration: { taskPushNotificationConfig: config } });

const stream = (chunks: number): Executor =>
  async function* () {
    yield working();
    const writer = artifact();
    for (let index = 0; index < chunks; index += 1) yield writer.text(`${index}`);
    yield completed();
  };

test("CARD-13: giving the push option declares the capability; the card can switch it off", async (t) => {
  const cardOf = async (options: object, card: CardInput = plainCard) => {
    const { url } = await serveExecutor(t, stream(0), options, { card });
    const response = await fetch(`${url}/.well-known/agent-card.json`);
    return ((await response.json()) as { capabilities: object }).capabilities;
  };
  assert.deepEqual(await cardOf({}), { streaming: true });
  assert.deepEqual(await cardOf({ push: {} }), { streaming: true, pushNotifications: true });
  const off = { ...plainCard, capabilities: { pushNotifications: false } };
  assert.deepEqual(await cardOf({ push: {} }, off), { streaming: true, pushNotifications: false });
});

test("CARD-13: a card that declares push notifications without the option is not served", async (t) => {
  const card = { ...plainCard, capabilities: { pushNotifications: true } };
  await assert.rejects(serveExecutor(t, stream(0), {}, { card }), CardError);
});

test("options that cannot be right, and stores that keep no configs, are refused at start", async (t) => {
  const wrong: [RegExp, object][] = [
    [/push.attempts/, { attempts: 0 }],
    [/push.maxConfigs/, { maxConfigs: 1.5 }],
    [/push.maxConfigsPerOwner/, { maxConfigsPerOwner: 0 }],
    [/push.maxBytes/, { maxBytes: 0.5 }],
    [/push.concurrency/, { concurrency: -1 }],
    [/push.timeout/, { timeout: -1 }],
    [/push.timeout must be a finite number of seconds above 0/, { timeout: 0 }],
    [/push.maxDelay/, { maxDelay: Number.NaN }],
    [/push.drain/, { drain: Number.POSITIVE_INFINITY }],
    [/push.events/, { events: "some" }],
    [/push.allowHosts/, { allowHosts: "hooks.example" }],
    [/push.allowHosts/, { allowHosts: [/hooks/] }],
    [/push.allowHosts: "hooks.example:8443" .* "hooks.example"$/, { allowHosts: ["hooks.example:8443"] }],
    [/push.allowHttp/, { allowHttp: "false" }],
    [/push.allowPrivateNetworks/, { allowPrivateNetworks: "false" }],
    [/push.maskSecrets/, { maskSecrets: 1 }],
    [/push.credentials/, { credentials: "Bearer a" }],
    [/push.onDeadLetter/, { onDeadLetter: {} }],
    [/push.resolve/, { resolve: ["127.0.0.1"] }],
    [/push.signing/, { signing: { issuer: "a", keys: [] } }],
    [/push.signing.keys must be a list/, { signing: { issuer: "a" } }],
    [/push.signing.keys must be a list/, { signing: { issuer: "a", keys: () => undefined } }],
  ];
  for (const [message, push] of wrong) {
    await assert.rejects(serveExecutor(t, stream(0), { push }), { name: "TypeError", message });
  }
  const full = new MemoryStore();
  const { append, load, read, wait, list } = full;
  const tasksOnly = {
    append: append.bind(full),
    load: load.bind(full),
    read: read.bind(full),
    wait: wait.bind(full),
    list: list.bind(full),
  };
  await assert.rejects(
    serveExecutor(t, stream(0), { push: {}, store: tasksOnly }),
    /cannot keep push configs/,
  );
});

test("SEC-04, PUSH-16: with the guard on nothing inside is reached, however the URL is written or resolved", async (t) => {
  const server = await canary(t);
  let calls = 0;
  const resolve = async (name: string) => {
    if (name === "mixed.example") return ["93.184.215.14", "127.0.0.1"];
    calls += 1;
    return calls === 1 ? ["93.184.215.14"] : ["127.0.0.1"];
  };
  const letters: DeadLetter[] = [];
  const { opened, open } = gate();
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield inputRequired("More?");
    },
    {
      push: {
        ...near,
        allowPrivateNetworks: false,
        resolve,
        attempts: 3,
        onDeadLetter: (letter) => {
          letters.push(letter);
          open();
        },
      },
    },
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  const { id: taskId } = result.task;
  const urls = { ...inwardUrls(server.port), mixed: `http://mixed.example:${server.port}/` };
  assert.ok(Object.keys(urls).length >= 12);
  for (const [form, url] of Object.entries(urls)) {
    assert.deepEqual((await rpc.call(CREATE, { taskId, url })).fields, ["url"], form);
    const sent = await rpc.call("SendMessage", text("go", inline({ url })));
    assert.deepEqual(sent.fields, ["configuration.taskPushNotificationConfig.url"], form);
  }
  // A name that was public when it was registered, and is not when it is connected to.
  await rpc.call("SendMessage", text("go", inline({ url: `http://rebinding.example:${server.port}/` })));
  await opened;
  assert.match(letters[0]?.reason ?? "", /private/);
  assert.equal(server.connections(), 0);
});

test("SEC-05: with the switches every form is delivered to", async (t) => {
  const server = await canary(t);
  const push = { ...near, resolve: async () => ["127.0.0.1"] };
  const { rpc } = await serveExecutor(t, stream(0), { push });
  const urls = Object.values(inwardUrls(server.port));
  for (const url of urls) assert.ok((await rpc.call("SendMessage", text("go", inline({ url })))).result, url);
  while (server.requests.length < urls.length * 2) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(server.requests.length, urls.length * 2);
});

test("SEC-07: a part that is a URL is carried and never fetched; the helper that fetches keeps the rules", async (t) => {
  const server = await canary(t);
  const url = `http://127.0.0.1:${server.port}/file`;
  const { rpc } = await serveExecutor(
    t,
    async function* ({ message }) {
      yield artifact().parts(message.parts);
      yield completed();
    },
    { push: near },
  );
  const message = { parts: [{ url, mediaType: "text/plain" }] };
  const { result } = await rpc.call("SendMessage", text("", { message }));
  assert.equal(result.task.artifacts[0].parts[0].url, url);
  const guard = new UrlGuard({ allowHttp: true });
  t.onTestFinished(() => guard.close());
  await assert.rejects(guard.request(url, { maxBytes: 100 }), UrlRefused);
  assert.equal(server.connections(), 0);
});

test("PUSH-13: receivers that never answer slow no task, no stream and no answer", async (t) => {
  const dead = await Webhook.open(t, () => undefined);
  const push = { ...near, drain: 0 };
  const { rpc } = await serveExecutor(t, stream(200), { push });
  const timed = async (config?: object) => {
    const begun = performance.now();
    const frames = await collect(rpc.stream("SendStreamingMessage", text("go", config)));
    assert.equal(frames.length, 202);
    return performance.now() - begun;
  };
  await timed();
  const alone = await timed();
  const many: number[] = [];
  for (let round = 0; round < 10; round += 1) many.push(await timed(inline({ url: dead.url() })));
  const median = many.sort((a, b) => a - b)[5] ?? 0;
  // A webhook is given ten seconds: far from what a busy machine makes of a few milliseconds.
  assert.ok(median < alone * 5 + 5000, `${alone} ms without, ${median} ms with a dead webhook`);
  const task = await rpc.call("SendMessage", text("go", inline({ url: dead.url() })));
  assert.equal(task.result.task.status.state, "TASK_STATE_COMPLETED");
});

test("PUSH-09: a receiver that is killed under load and brought back misses nothing, in order, and the task never knows", async (t) => {
  const webhook = await Webhook.open(t);
  const { opened, open } = gate();
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield working();
      const writer = artifact();
      for (let index = 0; index < 100; index += 1) yield writer.text(`${index}`);
      await opened;
      yield completed();
    },
    { push: { ...near, attempts: 1000 } },
  );
  const frames = collect(rpc.stream("SendStreamingMessage", text("go", inline({ url: webhook.url() }))));
  await webhook.count(10);
  await webhook.kill();
  open();
  const states = (await frames).map(({ data }) => data.statusUpdate?.status.state);
  assert.equal(states.at(-1), "TASK_STATE_COMPLETED");
  await webhook.start();
  await webhook.until(() => webhook.generations.at(-1) === 102);
  assert.deepEqual(
    once(webhook.generations),
    Array.from({ length: 102 }, (_, index) => index + 1),
  );
});

test("closing the server delivers the end of tasks that is still on its way", async (t) => {
  const webhook = await Webhook.open(t);
  const server = await serveExecutor(t, stream(20), { push: near });
  await server.rpc.call("SendMessage", text("go", inline({ url: webhook.url() })));
  await server.close();
  assert.equal(webhook.generations.at(-1), 22);
});

test("AUTHZ-09, TEN-09: each tenant's webhooks are its own and get its own tasks", async (t) => {
  const webhook = await Webhook.open(t);
  const { rpc } = await serveExecutor(t, stream(0), { push: near });
  for (const tenant of ["red", "blue"]) {
    const config = inline({ url: webhook.url(`/${tenant}`) });
    const { result } = await rpc.call("SendMessage", { ...text(tenant, config), tenant });
    const { id: taskId } = result.task;
    const list = { taskId, tenant };
    const { configs } = (await rpc.call("ListTaskPushNotificationConfigs", list)).result;
    assert.equal(configs[0].tenant, tenant);
    const other = await rpc.call("ListTaskPushNotificationConfigs", { taskId, tenant: "green" });
    assert.equal(other.error, "TASK_NOT_FOUND");
  }
  await webhook.count(4);
  for (const tenant of ["red", "blue"]) {
    const own = webhook.arrivals.filter(({ path }) => path === `/${tenant}`);
    assert.equal(own[0]?.event.task?.history?.[0]?.parts[0]?.text, tenant);
    assert.equal(own.length, 2);
  }
});
