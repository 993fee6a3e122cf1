import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "vitest";
import { ClientError, connect, RemoteError } from "../../../src/client/index.js";
import { grpcUrl } from "../../../src/client/transports/grpc/grpc-url.js";
import { openGrpc } from "../../../src/client/transports/grpc/web-connection.js";
import { grpcWeb } from "../../../src/grpc-web/index.js";
import { completed, type Executor, working } from "../../../src/index.js";
import { GRPC_WEB, protocolVersion } from "../../../src/protocol/operations.js";
import { apiKeys, type ServeOptions } from "../../../src/server/index.js";
import { certify } from "../../auth/certificates.js";
import { plainCard, serveGrpc } from "../../support/peer.js";

const echo: Executor = async function* () {
  yield working("on it");
  yield completed("done");
};

const only = { bindings: ["GRPC"] } as const;

const served = (t: TestContext, execute: Executor = echo, options: ServeOptions = {}, more: object = {}) =>
  serveGrpc(t, { card: plainCard, execute, ...more }, options);

test("G-12, G-13: addresses are host:port, with TLS unless they are of this machine or say otherwise", () => {
  const cases: [text: string, options: Parameters<typeof grpcUrl>[1], url: string | undefined][] = [
    ["agent.example.com:443", {}, "https://agent.example.com"],
    ["agent.example.com:50051", {}, "https://agent.example.com:50051"],
    ["agent.example.com:50051", { tls: false }, "http://agent.example.com:50051"],
    ["localhost:50051", {}, "http://localhost:50051"],
    ["127.0.0.1:50051", {}, "http://127.0.0.1:50051"],
    ["[::1]:50051", {}, "http://[::1]:50051"],
    ["https://localhost:50051/", {}, "https://localhost:50051"],
    ["http://agent.example.com:50051", {}, "http://agent.example.com:50051"],
    ["grpc://agent.example.com:50051", {}, "https://agent.example.com:50051"],
    ["grpcs://localhost:50051", {}, "https://localhost:50051"],
    ["dns:///agent.example.com:50051", {}, "https://agent.example.com:50051"],
    ["localhost:50051", { tls: {} }, "http://localhost:50051"],
    ["localhost:50051", { tls: { ca: "its own" } }, "https://localhost:50051"],
    ["127.0.0.1:4443", { base: new URL("https://localhost:4443/card") }, "https://127.0.0.1:4443"],
    ["127.0.0.1:4443", { tls: false, base: new URL("https://localhost:4443") }, "http://127.0.0.1:4443"],
    ["127.0.0.1:50051", { base: new URL("https://localhost:4443") }, "http://127.0.0.1:50051"],
    ["127.0.0.1:4443", { base: new URL("http://localhost:4443") }, "http://127.0.0.1:4443"],
    ["127.0.0.1:4443", { base: new URL("https://agent.example.com:4443") }, "http://127.0.0.1:4443"],
    ["agent.example.com/path", {}, undefined],
    ["", {}, undefined],
  ];
  for (const [text, options, url] of cases) assert.equal(grpcUrl(text, options)?.origin, url, text);
});

test("G-01, G-13: a client calls an agent with TLS whose authority it is told, and no other", async (t) => {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"] });
  const { grpcAddress } = await served(t, echo, { grpc: { port: 0, tls: { cert, key } } });
  const card = await cardOf(t);
  const at = {
    ...card,
    supportedInterfaces: [
      {
        url: `https://localhost:${grpcAddress.split(":").at(-1)}`,
        protocolBinding: "GRPC",
        protocolVersion: "1.0",
      },
    ],
  };
  const client = await connect(at, { grpc: { tls: { ca: cert } } });
  assert.equal((await client.sendText("x")).task?.status.state, "TASK_STATE_COMPLETED");
  const stranger = await connect(at, { retry: false });
  await assert.rejects(stranger.sendText("x"), { code: "UNREACHABLE" });
});

async function cardOf(t: TestContext) {
  const { url } = await served(t);
  return (await connect(url)).card;
}

test("G-12, G-11: the order of the card decides, and the card is fetched over HTTP", async (t) => {
  const { url } = await served(t, echo, { bindings: ["GRPC", "JSONRPC"] });
  const client = await connect(url);
  assert.equal(client.agentInterface.protocolBinding, "GRPC");
  assert.equal((await client.sendText("x")).task?.status.state, "TASK_STATE_COMPLETED");
  // Another `fetch` may guard what is connected to, and gRPC does not pass it.
  const guarded = await connect(url, { fetch });
  assert.equal(guarded.agentInterface.protocolBinding, "JSONRPC");
  assert.equal((await connect(url, { fetch, ...only })).agentInterface.protocolBinding, "GRPC");
  const alone = { ...client.card, supportedInterfaces: client.card.supportedInterfaces.slice(0, 1) };
  await assert.rejects(connect(alone, { fetch }), /name "GRPC" in the option "bindings"/);
});

test("G-12: platforms without HTTP/2 cannot call agents over gRPC", async () => {
  await assert.rejects(openGrpc(), { code: "NO_INTERFACE" });
});

test("G-20, G-26, G-27: version, extensions, credentials and tenant reach the agent in every call", async (t) => {
  const seen: Record<string, unknown>[] = [];
  const uri = "https://example.com/e";
  const card = {
    ...plainCard,
    capabilities: { extensions: [{ uri }] },
    securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  };
  const execute: Executor = async function* ({ call }) {
    seen.push({ ...call.headers, tenant: call.tenant, principal: call.principal.id });
    yield completed();
  };
  const { url } = await served(
    t,
    execute,
    { auth: { verifiers: { key: apiKeys({ k1: "ann" }) } } },
    {
      card,
    },
  );
  const client = await connect(url, { ...only, credentials: { key: "k1" }, extensions: [uri] });
  await client.sendMessage({ ...message("x"), tenant: "acme" });
  for await (const _ of client.sendStreamingMessage({ ...message("x"), tenant: "acme" }));
  assert.equal(seen.length, 2);
  for (const one of seen) {
    assert.equal(one["a2a-version"], protocolVersion);
    assert.equal(one["a2a-extensions"], uri);
    assert.equal(one.tenant, "acme");
  }
  const stranger = await connect(url, { ...only, credentials: { key: "wrong" } });
  await assert.rejects(
    stranger.sendText("x"),
    (error) => error instanceof RemoteError && error.code === "UNAUTHENTICATED",
  );
});

function message(words: string) {
  return {
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER" as const, parts: [{ text: words }] },
  };
}

test("G-31, G-36: errors have their reason, metadata and faulty members", async (t) => {
  const { url } = await served(t);
  const client = await connect(url, only);
  const unknown = await client.getTask({ id: "nope" }).catch((error: unknown) => error);
  assert.ok(unknown instanceof RemoteError);
  assert.deepEqual(
    [unknown.code, unknown.reason, unknown.message],
    ["TASK_NOT_FOUND", "TASK_NOT_FOUND", "Task not found"],
  );
  const { message: sent } = message("x");
  const wrong = await client
    .sendMessage({ message: { ...sent, parts: [{ text: "x" }], role: "ROLE_AGENT" } })
    .catch((error: unknown) => error);
  assert.ok(wrong instanceof RemoteError);
  assert.deepEqual([wrong.code, wrong.violations[0]?.field], ["INVALID_PARAMS", "message.role"]);
});

test("G-37, G-28: a call that is aborted ends with the reason of its caller, and one that takes too long with TIMEOUT", async (t) => {
  const { url } = await served(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
  });
  const client = await connect(url, only);
  const controller = new AbortController();
  const reason = new Error("enough");
  setTimeout(() => controller.abort(reason), 50);
  await assert.rejects(client.sendText("x", { signal: controller.signal }), reason);
  await assert.rejects(client.sendText("x", { timeout: 0.05 }), { code: "TIMEOUT" });
});

test("G-28: the limits of a call go with it as its deadline, and without a limit there is none", async (t) => {
  const seen: unknown[] = [];
  const { url } = await served(t, async function* ({ call }) {
    seen.push(call.headers["grpc-timeout"]);
    yield completed();
  });
  const endless = { timeouts: { total: Number.POSITIVE_INFINITY } };
  const client = await connect(url, { ...only, ...endless });
  for (const timeout of [60, 200_000, Number.POSITIVE_INFINITY, undefined]) {
    await client.sendText("x", { ...(timeout !== undefined && { timeout }) });
  }
  const [minute, days, ...none] = seen;
  assert.match(String(minute), /^(59\d{3}|60000)m$/);
  assert.match(String(days), /^(199999|200000)S$/);
  assert.deepEqual(none, [undefined, undefined]);
});

test("AUTHN-09: the path of an interface of gRPC-Web cannot lead a call and its credentials to another host", async (t) => {
  const { url } = await served(t);
  const { card } = await connect(url);
  const urls: string[] = [];
  const spied: typeof fetch = async (input) => {
    urls.push(String(input));
    throw new TypeError("fetch failed");
  };
  const entry = { protocolBinding: GRPC_WEB, protocolVersion };
  const supportedInterfaces = [{ ...entry, url: "https://agent.example//other.example/a" }];
  const origins = ["https://agent.example"];
  const client = await connect(
    { ...card, supportedInterfaces },
    { fetch: spied, grpc: { web: grpcWeb }, headers: { "X-Key": "k1" }, origins, retry: false },
  );
  await assert.rejects(client.sendText("x"), { code: "UNREACHABLE" });
  assert.deepEqual(urls, ["https://agent.example//other.example/a/lf.a2a.v1.A2AService/SendMessage"]);
});

test("an interface of gRPC-Web whose URL is not http or https is skipped", async (t) => {
  const { url } = await served(t);
  const { card } = await connect(url);
  const odd = { url: "ftp://127.0.0.1/x", protocolBinding: GRPC_WEB, protocolVersion };
  const supportedInterfaces = [odd, ...card.supportedInterfaces];
  const client = await connect({ ...card, supportedInterfaces }, { grpc: { web: grpcWeb }, retry: false });
  assert.notEqual(client.agentInterface.url, odd.url);
  await client.sendText("x");
});

test("G-26: an API key in the query cannot go over gRPC: another interface or scheme is used, and a header does go", async (t) => {
  const card = {
    ...plainCard,
    securitySchemes: {
      query: { apiKeySecurityScheme: { name: "key", location: "query" } },
      cookie: { apiKeySecurityScheme: { name: "session", location: "cookie" } },
    },
    securityRequirements: [{ schemes: { query: { list: [] } } }, { schemes: { cookie: { list: [] } } }],
  };
  const keys = apiKeys({ k1: "ann" });
  const options: ServeOptions = {
    auth: { verifiers: { query: keys, cookie: keys } },
    bindings: ["GRPC", "JSONRPC"],
  };
  const { url } = await served(t, echo, options, { card });
  const inQuery = await connect(url, { credentials: { query: "k1" } });
  assert.equal(inQuery.agentInterface.protocolBinding, "JSONRPC");
  assert.ok((await inQuery.sendText("x")).task);
  await assert.rejects(connect(url, { ...only, credentials: { query: "k1" } }), {
    code: "NO_INTERFACE",
    message: /API key in the query/,
  });
  const either = await connect(url, { credentials: { query: "k1", cookie: "k1" } });
  assert.equal(either.agentInterface.protocolBinding, "GRPC");
  assert.ok((await either.sendText("x")).task);
  const asked: string[] = [];
  const provider = await connect(url, {
    credentials: ({ name }) => {
      asked.push(name);
      return "k1";
    },
  });
  assert.ok((await provider.sendText("x")).task);
  assert.deepEqual([...new Set(asked)], ["cookie"]);
});

test("G-44: an answer or event that is larger than the caller allows is refused, and a request that is larger than the agent allows", async (t) => {
  const { url } = await served(
    t,
    async function* () {
      yield working("small");
      yield completed("x".repeat(200_000));
    },
    { limits: { body: 100_000 } },
  );
  const limits = { answer: 100_000, event: 100_000 };
  const client = await connect(url, { ...only, limits, retry: false, resume: false });
  await assert.rejects(client.sendText("x"), { code: "RESPONSE_TOO_LARGE" });
  await assert.rejects(client.stream("x").result(), { code: "RESPONSE_TOO_LARGE" });
  const refused = await client.sendText("x".repeat(200_000)).catch((error: unknown) => error);
  assert.ok(refused instanceof RemoteError);
  assert.deepEqual([refused.code, refused.reason], ["REQUEST_TOO_LARGE", "REQUEST_TOO_LARGE"]);
});

test("G-44: limits of 0 bytes and characters refuse every answer and event, as over the other bindings", async (t) => {
  const { url } = await served(t);
  for (const binding of ["GRPC", "JSONRPC"] as const) {
    const client = await connect(url, { bindings: [binding], limits: { answer: 0, event: 0 }, retry: false });
    await assert.rejects(client.sendText("x"), { code: "RESPONSE_TOO_LARGE" }, binding);
    await assert.rejects(client.stream("x").result(), { code: "RESPONSE_TOO_LARGE" }, binding);
  }
});

test("an agent that is not there is unreachable, and the next interface is tried", async (t) => {
  const { url } = await served(t);
  const { card } = await connect(url);
  const [jsonRpc] = card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === "JSONRPC");
  assert.ok(jsonRpc);
  const gone = { url: "127.0.0.1:1", protocolBinding: "GRPC", protocolVersion: "1.0" };
  const alone = await connect({ ...card, supportedInterfaces: [gone] }, { retry: false });
  await assert.rejects(
    alone.sendText("x"),
    (error) =>
      error instanceof ClientError && error.code === "UNREACHABLE" && /ECONNREFUSED/.test(error.message),
  );
  const both = await connect({ ...card, supportedInterfaces: [gone, jsonRpc] });
  assert.equal((await both.sendText("x")).task?.status.state, "TASK_STATE_COMPLETED");
});

test("SEC-09, ERR-26: a refusal says when the next call may succeed, in whole seconds, if the limiter knows", async (t) => {
  const waits = [33_500, 500, 1000 / 3, Number.POSITIVE_INFINITY];
  const rateLimit = { consume: () => Promise.reject({ msBeforeNext: waits.shift() }) };
  const { url } = await served(t, echo, { rateLimit });
  const client = await connect(url, { ...only, retry: false });
  for (const seconds of [34, 1, 1, undefined]) {
    const refused = await client.sendText("x").catch((error: unknown) => error);
    assert.ok(refused instanceof RemoteError);
    assert.deepEqual([refused.code, refused.retryAfter], ["RATE_LIMITED", seconds]);
  }
});
