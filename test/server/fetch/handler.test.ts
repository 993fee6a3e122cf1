import assert from "node:assert/strict";
import { type TestContext, test, vi } from "vitest";
import { type Agent, artifact, completed, defineAgent, reply, working } from "../../../src/index.js";
import { createHandler, type RequestInfo } from "../../../src/server/fetch/index.js";
import { CardError, type ServerOptions } from "../../../src/server/index.js";
import { gate } from "../../support/both.js";
import { fakeTimers } from "../../support/fake-timers.js";
import { plainCard } from "../../support/peer.js";
import {
  callText,
  json,
  notebook,
  ScriptedHandler,
  scripted,
  taskNamed,
  version,
} from "../scripted-agent.js";

const base = "https://agent.example";
const decoder = new TextDecoder();

function handlerFor(t: Pick<TestContext, "onTestFinished">, agent: Agent, options: ServerOptions = {}) {
  const handler = createHandler(agent, options);
  t.onTestFinished(() => handler.close(0));
  return handler;
}

const post = (method: string, init: RequestInit = {}) =>
  new Request(base, { method: "POST", headers: json, body: callText(method), ...init });

/** Reads pieces of a body one by one. */
function readerOf(response: Response) {
  const reader = (response.body ?? assert.fail("There is no body")).getReader();
  return {
    next: async () => decoder.decode((await reader.read()).value),
    cancel: () => reader.cancel(),
    read: () => reader.read(),
  };
}

/** A stream of events that a test counts: how many were made, and whether the producer has been told to stop. */
function endless() {
  const seen = { made: 0, aborted: false, ended: false };
  const handler = new ScriptedHandler("endless", async function* ({ signal }) {
    signal.addEventListener("abort", () => {
      seen.aborted = true;
    });
    try {
      for (;;) {
        seen.made += 1;
        yield { task: taskNamed(`task-${seen.made}`) };
      }
    } finally {
      seen.ended = true;
    }
  });
  return { seen, agent: scripted(handler) };
}

test("a request is answered without a server, at the address that it names", async (t) => {
  const handler = handlerFor(t, scripted());
  const response = await handler(post("SendMessage"));
  assert.equal(response.status, 200);
  assert.equal(
    response.headers.get("content-length"),
    String((await response.clone().arrayBuffer()).byteLength),
  );
  const { result } = (await response.json()) as any;
  assert.equal(result.message.parts[0].text, "hi");
  const card = await handler(new Request(`${base}/.well-known/agent-card.json`));
  const { supportedInterfaces } = (await card.json()) as any;
  assert.equal(new URL(supportedInterfaces[0].url).origin, base);
  const etag = card.headers.get("etag") ?? "";
  const again = await handler(
    new Request(`${base}/.well-known/agent-card.json`, { headers: { "If-None-Match": etag } }),
  );
  assert.deepEqual([again.status, again.body], [304, null]);
});

test("HEAD tells the length of a document and has no body", async (t) => {
  const handler = handlerFor(t, scripted());
  const head = await handler(new Request(`${base}/healthz`, { method: "HEAD" }));
  assert.deepEqual([head.status, head.headers.get("content-length"), head.body], [200, "15", null]);
});

test("what cannot be right is refused when the handler is made", () => {
  assert.throws(() => createHandler({}), TypeError);
  assert.throws(() => createHandler(scripted(), { limits: { body: 0 } }), TypeError);
  assert.throws(
    () => createHandler(scripted(undefined, { capabilities: { pushNotifications: true } })),
    CardError,
  );
});

test("handlers and verifiers see the address and the certificate that the runtime tells", async (t) => {
  const clientCertificate = {
    ...{ trusted: true, subject: { CN: "ann" }, alternativeNames: [], fingerprint: "AA", serialNumber: "1" },
  };
  const seen: unknown[] = [];
  const handler = handlerFor(t, scripted(), {
    auth: {
      authenticate: ({ address, certificate }) => {
        seen.push(address, certificate);
        return { id: "ann" };
      },
    },
  });
  await handler(post("SendMessage"), { address: "192.0.2.7", clientCertificate });
  assert.deepEqual(seen, ["192.0.2.7", clientCertificate]);
});

test("STR-02, STR-10: a reader that stops stops the producer, and one that leaves aborts the call", async (t) => {
  const { seen, agent } = endless();
  const handler = handlerFor(t, agent);
  const reader = readerOf(await handler(post("SendStreamingMessage")));
  let text = await reader.next();
  assert.match(text, /task-1"/);
  const made = seen.made;
  await new Promise((resolve) => setTimeout(resolve, 50));
  // The handler reads at most one event ahead of its reader.
  assert.ok(seen.made <= made + 1, `${seen.made} events`);
  for (let count = 2; count < 10; count += 1) text += await reader.next();
  const ids = [...text.matchAll(/"task-(\d+)"/g)].map(([, id]) => Number(id));
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  );
  assert.equal(seen.aborted, false);
  await reader.cancel();
  await vi.waitUntil(() => seen.ended);
  assert.equal(seen.aborted, true);
});

test("STR-04: a request whose signal aborts ends its stream", async (t) => {
  const { seen, agent } = endless();
  const handler = handlerFor(t, agent);
  const controller = new AbortController();
  const reader = readerOf(await handler(post("SendStreamingMessage", { signal: controller.signal })));
  await reader.next();
  controller.abort();
  await vi.waitUntil(() => seen.ended);
  assert.equal(seen.aborted, true);
  // Without an error, which runtimes would report.
  assert.equal((await reader.read()).done, true);
});

test("STR-17: closing ends open streams in good order", async () => {
  const { agent } = endless();
  const handler = createHandler(agent);
  const reader = readerOf(await handler(post("SendStreamingMessage")));
  await reader.next();
  await handler.close();
  assert.equal((await reader.read()).done, true);
  const refused = await handler(post("SendMessage"));
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
});

test("closing cuts off an answer that is still being read, and does not blame its reader", async () => {
  const { logger, texts } = notebook();
  const handler = createHandler(scripted(), { logger });
  const body = callText("SendMessage", "x".repeat(1024 * 1024));
  const reader = readerOf(await handler(post("SendMessage", { body })));
  await reader.next();
  await handler.close(0);
  await assert.rejects(reader.read(), /closed/);
  assert.deepEqual(texts("warn"), []);
});

test("STR-11: a stream that says nothing gets comments while its reader reads", async (t) => {
  const { open, opened } = gate();
  const agent = scripted(
    new ScriptedHandler("silent", async function* () {
      yield { task: taskNamed("first") };
      await opened;
    }),
  );
  const handler = handlerFor(t, agent, { heartbeat: 0.02 });
  const reader = readerOf(await handler(post("SendStreamingMessage")));
  assert.match(await reader.next(), /first/);
  assert.equal(await reader.next(), ": keep-alive\n\n");
  assert.equal(await reader.next(), ": keep-alive\n\n");
  open();
  assert.equal((await reader.read()).done, true);
});

test("SEC-08: a large answer leaves in slices, and is cut off when its reader takes nothing", async (t) => {
  const { logger, texts } = notebook();
  const large = "x".repeat(2 * 1024 * 1024);
  const handler = handlerFor(t, scripted(), { logger, limits: { writeTime: 4 } });
  const body = callText("SendMessage", large);
  const whole = await handler(post("SendMessage", { body }));
  const text = await whole.text();
  assert.equal(whole.headers.get("content-length"), String(text.length));
  assert.ok(text.includes(large));
  fakeTimers(["setInterval", "clearInterval"]);
  const reader = readerOf(await handler(post("SendMessage", { body })));
  assert.ok((await reader.next()).length <= 128 * 1024);
  vi.advanceTimersByTime(5_000);
  vi.useRealTimers();
  await assert.rejects(reader.read(), /closed/);
  assert.ok(texts("warn").includes("Closed a connection whose reader took nothing"));
});

test("a runtime that stops with its last answer is told until when executors are at work", async (t) => {
  const { open, opened } = gate();
  const agent = defineAgent({
    card: plainCard,
    async *execute() {
      yield working();
      await opened;
      yield artifact({ name: "late" }).text("done");
      yield completed();
    },
  });
  const handler = handlerFor(t, agent);
  const waits: Promise<unknown>[] = [];
  const body = callText("SendMessage").replace(/}}$/, ',"configuration":{"returnImmediately":true}}}');
  const info = { waitUntil: (work: Promise<unknown>) => void waits.push(work) };
  const { result } = (await (await handler(post("SendMessage", { body }), info)).json()) as any;
  // Each request waits for itself, also when a later one waits too.
  await handler(new Request(`${base}/tasks/${result.task.id}`, { headers: version }), info);
  assert.equal(waits.length, 2);
  let isIdle = false;
  const idle = Promise.all(waits).then(() => {
    isIdle = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isIdle, false);
  open();
  await idle;
  const task = await handler(new Request(`${base}/tasks/${result.task.id}`, { headers: version }));
  assert.equal(((await task.json()) as any).status.state, "TASK_STATE_COMPLETED");
});

test("an agent whose answers name what no header can hold is refused, and its stream is let go of", async (t) => {
  const uri = "https://extension.example/\u20ac";
  const { seen, agent } = endless();
  const card = { capabilities: { streaming: true, extensions: [{ uri }] } };
  const handler = handlerFor(t, { ...agent, card: { ...agent.card, ...card } });
  const headers = new Headers(json);
  const request = post("SendStreamingMessage", { headers });
  // A runtime that takes more than `Headers` does.
  Object.defineProperty(request, "headers", { value: [...headers, ["a2a-extensions", uri]] });
  const response = await handler(request);
  const { error } = (await response.json()) as any;
  assert.equal(error.code, -32603);
  await vi.waitUntil(() => seen.ended);
});

test("one agent answers at its path, and nothing answers elsewhere", async (t) => {
  const handler = createHandler({ "/echo": { card: plainCard, execute: async () => reply("hello") } });
  t.onTestFinished(() => handler.close(0));
  const answer = await handler(
    new Request(`${base}/echo`, { method: "POST", headers: json, body: callText("SendMessage") }),
  );
  assert.match(await answer.text(), /hello/);
  const nothing = await handler(new Request(`${base}/elsewhere`));
  assert.equal(nothing.status, 404);
  assert.match(nothing.headers.get("content-type") ?? "", /json/);
});

test("CARD-04: base may end with a slash", async (t) => {
  const handler = handlerFor(t, defineAgent({ card: plainCard, execute: async ({ text }) => reply(text) }));
  const urlInCard = async (url: string, info: RequestInfo) => {
    const response = await handler(new Request(url), info);
    return ((await response.json()) as any).supportedInterfaces[0].url;
  };
  const path = "/.well-known/agent-card.json";
  const mounted = `${base}/shop/agent`;
  assert.equal(await urlInCard(mounted + path, { base: "/shop/agent" }), mounted);
  assert.equal(await urlInCard(mounted + path, { base: "/shop/agent/" }), mounted);
  assert.equal(await urlInCard(base + path, { base: "/" }), base);
});
