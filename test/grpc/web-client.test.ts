import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { type TestContext, test } from "vitest";
import {
  ClientError,
  type ConnectOptions,
  connect,
  gapBefore,
  RemoteError,
  textOf,
} from "../../src/client/index.js";
import { grpcWeb } from "../../src/grpc-web/index.js";
import { type AgentCard, artifact, completed, type Executor, working } from "../../src/index.js";
import { GRPC_WEB } from "../../src/protocol/operations.js";
import { apiKeys, type ServeOptions } from "../../src/server/index.js";
import { cuttingProxy, seeded } from "../client/stream/cutting-proxy.js";
import { gate } from "../support/both.js";
import { listenFor } from "../support/listen.js";
import { plainCard, serveGrpc } from "../support/peer.js";

const echo: Executor = async function* ({ text }) {
  yield working();
  yield artifact().text(text);
  yield completed();
};

/** The card of an agent, with its interfaces of gRPC-Web alone. */
async function webCard(url: string, at = url): Promise<AgentCard> {
  const { card } = await connect(url);
  const supportedInterfaces = card.supportedInterfaces
    .filter(({ protocolBinding }) => protocolBinding === GRPC_WEB)
    .map((entry) => ({ ...entry, url: entry.url.replace(url, at) }));
  assert.ok(supportedInterfaces.length > 0);
  return { ...card, supportedInterfaces };
}

async function client(
  t: TestContext,
  execute: Executor = echo,
  more: object = {},
  options: ConnectOptions = {},
) {
  const serving: ServeOptions = { grpc: { web: true }, logger: false, ...more };
  const { url } = await serveGrpc(t, { "/agent": { card: plainCard, execute } }, serving);
  return connect(await webCard(`${url}/agent`), { grpc: { web: grpcWeb }, ...options });
}

test("G-12: an interface of gRPC-Web is called through the client's own fetch, at its path", async (t) => {
  const paths: string[] = [];
  const spied: typeof fetch = (input, init) => {
    paths.push(new URL(String(input)).pathname);
    return fetch(input, init);
  };
  const calls = await client(t, echo, {}, { fetch: spied as never });
  assert.equal(calls.agentInterface.protocolBinding, GRPC_WEB);
  const { task } = await calls.sendText("hello");
  assert.equal(textOf(task!.artifacts![0]!), "hello");
  const { task: streamed } = await calls.stream("words").result();
  assert.equal(streamed?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(paths, [
    "/agent/lf.a2a.v1.A2AService/SendMessage",
    "/agent/lf.a2a.v1.A2AService/SendStreamingMessage",
  ]);
  await assert.rejects(calls.getTask({ id: "none" }), (error: unknown) => {
    assert.ok(error instanceof RemoteError);
    assert.deepEqual([error.code, error.httpStatus], ["TASK_NOT_FOUND", 404]);
    return true;
  });
});

test("G-12: where gRPC does not work, an interface of gRPC-Web at its address is called", async (t) => {
  const { url } = await serveGrpc(t, { card: plainCard, execute: echo }, { grpc: { web: true } });
  const card = await webCard(url);
  // The port of gRPC-Web has no HTTP/2 here, as if it were not available on the platform.
  const grpc = { url: new URL(url).host, protocolBinding: "GRPC", protocolVersion: "1.0" };
  const both = { ...card, supportedInterfaces: [grpc, ...card.supportedInterfaces] };
  const calls = await connect(both, { grpc: { web: grpcWeb }, versions: ["1.0"], retry: false });
  await assert.rejects(calls.getTask({ id: "none" }), { code: "TASK_NOT_FOUND" });
  assert.equal(calls.agentInterface.protocolBinding, GRPC_WEB);
});

test("version 0.3 is called over gRPC-Web too", async (t) => {
  const calls = await client(t, echo, {}, { versions: ["0.3"] });
  const { task } = await calls.sendText("hello");
  assert.equal(textOf(task!.artifacts![0]!), "hello");
});

test("without the argument such an interface is skipped, and one alone is refused", async (t) => {
  const { url } = await serveGrpc(t, { card: plainCard, execute: echo }, { grpc: { web: true } });
  assert.equal((await connect(url)).agentInterface.protocolBinding, "JSONRPC");
  await assert.rejects(
    webCard(url).then((card) => connect(card)),
    (error: unknown) => error instanceof ClientError && error.code === "NO_INTERFACE",
  );
});

test("credentials go to it as headers", async (t) => {
  const card = {
    ...plainCard,
    securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  };
  const auth = { verifiers: { key: apiKeys({ k1: "ann" }) } };
  const { url } = await serveGrpc(t, { card, execute: echo }, { auth, grpc: { web: true } });
  const options = { credentials: { key: "k1" }, origins: [url], grpc: { web: grpcWeb } };
  const known = await connect(await webCard(url), options);
  assert.ok((await known.sendText("x")).task);
  const stranger = await connect(await webCard(url), { grpc: { web: grpcWeb } });
  await assert.rejects(
    stranger.sendText("x"),
    (error: unknown) => error instanceof RemoteError && error.code === "UNAUTHENTICATED",
  );
});

for (const status of [302, 307])
  test(`AUTHN-09: a redirect of a call with status ${status} is not followed, and its target gets no headers`, async (t) => {
    const received: unknown[] = [];
    const elsewhere = await listenFor(t, ({ headers }, res) => {
      received.push(headers);
      res.end();
    });
    const moved = await listenFor(t, ({ url }, res) =>
      res.writeHead(status, { Location: `${elsewhere}${url}` }).end(),
    );
    const { url } = await serveGrpc(t, { card: plainCard, execute: echo }, { grpc: { web: true } });
    const options = { headers: { "X-Key": "k1" }, origins: [moved], grpc: { web: grpcWeb } };
    const calls = await connect(await webCard(url, moved), options);
    const isRedirected = (error: unknown) => error instanceof ClientError && error.code === "REDIRECTED";
    await assert.rejects(calls.sendText("x"), isRedirected);
    await assert.rejects(calls.stream("x").result(), isRedirected);
    assert.deepEqual(received, []);
  });

test("STR-15: cuts of a stream of gRPC-Web lose, repeat and reorder nothing", async (t) => {
  const EVENTS = 400;
  const random = seeded(20260101);
  const counting: Executor = async function* () {
    const numbers = artifact({ name: "numbers" });
    for (let number = 1; number <= EVENTS; number++) {
      if (number % 8 === 0) await setImmediate();
      yield numbers.text(`${number} `);
    }
    yield completed();
  };
  const { url } = await serveGrpc(t, { card: plainCard, execute: counting }, { grpc: { web: true } });
  const plan = { cuts: 10, bytes: () => 800 + Math.floor(random() * 8000) };
  const proxy = await cuttingProxy(t, url, plan);
  const resume = { first: 0.001 };
  const calls = await connect(await webCard(url, proxy.url), { resume, grpc: { web: grpcWeb } });
  const stream = calls.stream("count");
  let seen = "";
  for await (const event of stream) {
    assert.equal(gapBefore(event), undefined);
    if (event.artifactUpdate) seen += textOf(event.artifactUpdate.artifact);
  }
  assert.ok(proxy.cuts > 5, `the proxy cut ${proxy.cuts} times`);
  assert.equal(seen, Array.from({ length: EVENTS }, (_, index) => `${index + 1} `).join(""));
});

test("time limits and answers that are too large end a call as over the other bindings", async (t) => {
  const { opened } = gate();
  const slow = await client(t, async function* () {
    yield working();
    await opened;
  });
  await assert.rejects(
    slow.sendText("x", { timeout: 0.2 }),
    (error: unknown) => error instanceof ClientError && error.code === "TIMEOUT",
  );
  const large = await client(t, echo, {}, { limits: { answer: 1000, event: 1000 } });
  await assert.rejects(
    large.sendText("x".repeat(2000)),
    (error: unknown) => error instanceof ClientError && error.code === "RESPONSE_TOO_LARGE",
  );
});
