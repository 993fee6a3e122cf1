import assert from "node:assert/strict";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { type TestContext, test } from "vitest";
import { ClientError, connect, gapBefore, textOf } from "../../../src/client/index.js";
import { artifact, completed } from "../../../src/index.js";
import { UrlGuard, type UrlGuardOptions, UrlRefused } from "../../../src/push/index.js";
import { cuttingProxy } from "../../client/stream/cutting-proxy.js";
import { gate } from "../../support/both.js";
import { plainCard, serveExecutor } from "../../support/peer.js";
import { canary } from "../canary.js";
import { inwardUrls } from "../inward-urls.js";

const NEAR = { allowHttp: true, allowPrivateNetworks: true };

function guardFor(t: TestContext, options: UrlGuardOptions): UrlGuard {
  const guard = new UrlGuard(options);
  t.onTestFinished(() => guard.close());
  return guard;
}

test("a guard that is closed also ends a stream whose connection has replaced a stale one", async (t) => {
  const server = await canary(t, (_, response) => {
    if (server.requests.length === 1) response.writeHead(204).end();
    else response.writeHead(200).write("first");
  });
  const guard = guardFor(t, NEAR);
  const url = `http://127.0.0.1:${server.port}/`;
  await guard.fetch(url);
  await new Promise((resolve) => setImmediate(resolve));
  const kept = server.requests[0]?.socket;
  const replaced = guard.fetch(url);
  kept?.resetAndDestroy();
  const reader = (await replaced).body?.getReader();
  assert.equal(new TextDecoder().decode((await reader?.read())?.value), "first");
  assert.equal(server.connections(), 2);
  guard.close();
  await assert.rejects(async () => reader?.read());
});

/** A card of an agent whose only interface is at a URL. */
const cardFor = (url: string) => ({
  ...plainCard,
  version: "1",
  capabilities: {},
  skills: [],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
});

test("a client with a guard sends a message once, even if the kept connection breaks before the response", async (t) => {
  let messages = 0;
  const server = await canary(t, ({ method, socket }, response) => {
    if (method === "GET") return response.end(JSON.stringify(cardFor(url)));
    messages += 1;
    return socket.resetAndDestroy();
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const client = await connect(url, { fetch: guardFor(t, NEAR).fetch });
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(client.sendText("x"), ClientError);
  assert.equal(messages, 1);
  assert.equal(server.connections(), 1);
});

/** Connecting to an agent by a guard has to end like this. */
async function assertRefused(agent: Parameters<typeof connect>[0], guard: UrlGuard, form?: string) {
  await assert.rejects(
    async () => (await connect(agent, { fetch: guard.fetch, retry: false })).sendText("x"),
    (error) =>
      error instanceof ClientError && error.code === "UNREACHABLE" && error.cause instanceof UrlRefused,
    form,
  );
}

test("SEC-04: a client with a guard calls nothing on this machine, whatever its URL looks like", async (t) => {
  const server = await canary(t);
  const guard = guardFor(t, { allowHttp: true });
  for (const [form, url] of Object.entries(inwardUrls(server.port))) {
    await assert.rejects(guard.fetch(url), UrlRefused, form);
    await assert.rejects(guard.fetch(new Request(url)), UrlRefused, form);
    await assertRefused(url, guard, form);
  }
  assert.equal(server.connections(), 0);
});

test("SEC-04: a client with a guard does not call where a card points, or a redirect leads, if that is inward", async (t) => {
  const inner = await canary(t);
  const url = `http://inner.example:${inner.port}/`;
  const guard = guardFor(t, {
    ...NEAR,
    allowHosts: ["127.0.0.1"],
    resolve: async () => ["127.0.0.1"],
  });
  const card = cardFor(url);
  const outer = await canary(t, (request, response) => {
    if (request.url === "/card") response.end(JSON.stringify(card));
    else response.writeHead(302, { Location: url }).end();
  });
  await assertRefused(`http://127.0.0.1:${outer.port}/card`, guard);
  await assertRefused(`http://127.0.0.1:${outer.port}/elsewhere/agent-card.json`, guard);
  assert.equal(inner.connections(), 0);
});

test("PUSH-16: a name that turns inward after its check is refused, and a connection goes where the check looked", async (t) => {
  const server = await canary(t);
  const answers = [["93.184.215.14"], ["127.0.0.1"], ["93.184.215.14", "127.0.0.1"]];
  const guard = guardFor(t, { allowHttp: true, resolve: async () => answers.shift() ?? [] });
  const rebinding = `http://rebinding.example:${server.port}/`;
  await guard.check(rebinding);
  await assert.rejects(guard.fetch(rebinding), UrlRefused);
  await assert.rejects(guard.fetch(rebinding), UrlRefused);
  assert.equal(server.connections(), 0);
  const names = [["127.0.0.1"], ["192.0.2.1"]];
  const pinned = guardFor(t, { ...NEAR, resolve: async () => names.shift() ?? [] });
  const { status } = await pinned.fetch(`http://pinned.example:${server.port}/`);
  assert.equal(status, 204);
  assert.equal(server.requests[0]?.headers.host, `pinned.example:${server.port}`);
  assert.deepEqual(names, [["192.0.2.1"]]);
});

test("a client with a guard streams: an event is there before the next one is made, and cuts cost nothing", async (t) => {
  const next = gate();
  const { url } = await serveExecutor(t, async function* () {
    const answer = artifact();
    yield answer.text("one ");
    await next.opened;
    for (let number = 2; number < 100; number++) yield answer.text(`${number} `);
    yield completed();
  });
  const proxy = await cuttingProxy(t, url, { cuts: 3, bytes: () => 6_000 });
  const { card } = await connect(url);
  const supportedInterfaces = card.supportedInterfaces.map((entry) => ({ ...entry, url: proxy.url }));
  const { fetch } = guardFor(t, NEAR);
  const client = await connect({ ...card, supportedInterfaces }, { fetch, resume: { first: 0.001 } });
  const stream = client.stream("go");
  let chunks = 0;
  for await (const event of stream) {
    next.open();
    assert.equal(gapBefore(event), undefined);
    if (event.artifactUpdate) chunks += 1;
  }
  assert.ok(chunks >= 98, `${chunks} chunks`);
  assert.match(textOf(stream.task!.artifacts![0]!), /^one 2 3 .* 99 $/);
  assert.equal(proxy.cuts, 3);
});

test("the guard's fetch has the manners of the platform's", async (t) => {
  const bodies: string[] = [];
  const server = await canary(t, async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    bodies.push(body);
    const answers: Record<string, () => void> = {
      "/text": () => response.writeHead(201, { "Set-Cookie": ["a=1", "b=2"], "X-One": "1" }).end("text"),
      "/redirect": () => response.writeHead(307, { Location: "/text" }).end(),
      "/packed": () => response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync("x")),
      "/empty": () => response.writeHead(204).end(),
      "/broken": () => response.write("half", () => response.destroy()),
    };
    answers[request.url ?? ""]?.();
  });
  const { fetch } = guardFor(t, NEAR);
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;

  const response = await fetch(new URL(at("/text")), {
    method: "POST",
    body: "möp",
    headers: { "X-Two": "2" },
  });
  assert.deepEqual([response.status, response.ok, response.url], [201, true, at("/text")]);
  assert.deepEqual([response.headers.getSetCookie(), response.headers.get("x-one")], [["a=1", "b=2"], "1"]);
  assert.equal(await response.text(), "text");
  assert.equal(bodies[0], "möp");
  assert.equal(server.requests[0]?.headers["x-two"], "2");
  assert.equal(server.requests[0]?.headers["accept-encoding"], "identity");

  assert.equal((await fetch(at("/empty"))).body, null);
  assert.equal((await fetch(at("/text"), { method: "HEAD" })).status, 201);
  await assert.rejects(fetch(at("/redirect")), /Redirects are not followed/);
  const moved = await fetch(at("/redirect"), { redirect: "manual" });
  assert.deepEqual([moved.status, moved.headers.get("location")], [307, "/text"]);
  await assert.rejects(fetch(at("/packed")), /the content coding gzip/);
  await assert.rejects((await fetch(at("/broken"))).text());
  assert.equal(server.requests.length, 7);
});

test("the guard's fetch accepts any content coding of a response without a body, and identity in any case", async (t) => {
  const server = await canary(t, ({ method, url }, response) => {
    const coding = url === "/identity" ? "Identity" : "gzip";
    response.writeHead(url === "/empty" ? 204 : 200, { "Content-Encoding": coding });
    response.end(method === "HEAD" || url === "/empty" ? undefined : "text");
  });
  const { fetch } = guardFor(t, NEAR);
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  const head = await fetch(at("/packed"), { method: "HEAD" });
  assert.deepEqual([head.body, head.headers.get("content-encoding")], [null, "gzip"]);
  assert.equal((await fetch(at("/empty"))).status, 204);
  assert.equal(await (await fetch(at("/identity"))).text(), "text");
  await assert.rejects(fetch(at("/packed")), /the content coding gzip/);
});

test("an endless body of a response whose status excludes one is cut off; after a short one the connection is kept", async (t) => {
  const closed = gate();
  const server = await canary(t, ({ url }, response) => {
    response.writeHead(205);
    if (url === "/short") return response.end("short");
    const write = () => {
      while (response.write("x".repeat(16 * 1024)));
    };
    response.on("drain", write).once("close", closed.open);
    return write();
  });
  const { fetch } = guardFor(t, NEAR);
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  for (let count = 0; count < 2; count += 1) {
    assert.equal((await fetch(at("/short"))).body, null);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(server.connections(), 1);
  assert.equal((await fetch(at("/endless"))).body, null);
  await closed.opened;
});

test("an abort ends the guard's fetch before the answer and within it, and so does who leaves the body", async (t) => {
  const closed: Promise<unknown>[] = [];
  const server = await canary(t, (request, response) => {
    closed.push(once(response, "close"));
    if (request.url === "/body") response.write("beginning");
  });
  const { fetch } = guardFor(t, NEAR);
  const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  const reason = new Error("enough");
  const abort = (signal: AbortController) => setImmediate(() => signal.abort(reason));

  const early = new AbortController();
  abort(early);
  await assert.rejects(fetch(at("/nothing"), { signal: early.signal }), reason);

  const late = new AbortController();
  const response = await fetch(at("/body"), { signal: late.signal });
  abort(late);
  await assert.rejects(response.text(), reason);

  await (await fetch(at("/body"))).body?.cancel();
  await Promise.all(closed);
});

test("an abort ends the guard's fetch while the body of its request stalls, and cancels that body", async (t) => {
  const server = await canary(t);
  const { fetch } = guardFor(t, NEAR);
  const reason = new Error("enough");
  const controller = new AbortController();
  let cancel: (reason: unknown) => void = () => undefined;
  const canceled = new Promise((resolve) => {
    cancel = resolve;
  });
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode("beginning")),
    pull: () => {
      setImmediate(() => controller.abort(reason));
      return new Promise(() => undefined);
    },
    cancel,
  });
  const { signal } = controller;
  const init = { method: "POST", body, duplex: "half", signal } as RequestInit;
  await assert.rejects(fetch(`http://127.0.0.1:${server.port}/`, init), reason);
  assert.equal(await canceled, reason);
  assert.equal(server.requests.length, 0);
});
