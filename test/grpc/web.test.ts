import assert from "node:assert/strict";
import { request } from "node:http";
import { connect as connectSocket } from "node:net";
import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { type TestContext, test } from "vitest";
import { loadService } from "../../src/grpc/service.js";
import { type AgentCard, completed, type Executor, working } from "../../src/index.js";
import { GRPC_WEB, protocolVersion } from "../../src/protocol/operations.js";
import { apiKeys, type ServeOptions, serve } from "../../src/server/index.js";
import { certify } from "../auth/certificates.js";
import { gate } from "../support/both.js";
import { service } from "../support/grpc-peer.js";
import { plainCard, serveGrpc } from "../support/peer.js";

// gRPC-Web and the protocol of Connect, called by their own library over HTTP/1.1 and HTTP/2.

type Json = any;

const echo: Executor = async function* () {
  yield working("on it");
  yield completed("done");
};

const served = (t: TestContext, execute: Executor = echo, { grpc, ...options }: ServeOptions = {}) =>
  serveGrpc(t, { card: plainCard, execute }, { ...options, grpc: { web: true, ...grpc } });

/** Values of protobuf-es, as an application of Connect writes them. */
const message = (text: string) => ({
  message: { messageId: crypto.randomUUID(), role: 1, parts: [{ content: { case: "text", value: text } }] },
});

const headers = { "a2a-version": "1.0" };
const desc = await loadService(service);
const clientOf = (transport: Transport): Client<Json> & Record<string, Json> => createClient(desc, transport);

const transports = [
  ["gRPC-Web", createGrpcWebTransport, true],
  ["gRPC-Web, JSON", createGrpcWebTransport, false],
  ["Connect", createConnectTransport, true],
  ["Connect, JSON", createConnectTransport, false],
] as const;

/** One test for each protocol: on the port of HTTP, and on that of gRPC. */
function overEach(
  name: string,
  run: (t: TestContext, client: (server: Awaited<ReturnType<typeof served>>) => Json) => Promise<void>,
): void {
  for (const [protocol, create, useBinaryFormat] of transports) {
    test(`${name} [${protocol}, HTTP/1.1]`, (t) =>
      run(t, ({ url: baseUrl }) => clientOf(create({ baseUrl, httpVersion: "1.1", useBinaryFormat }))));
    test(`${name} [${protocol}, HTTP/2]`, (t) =>
      run(t, ({ grpcAddress }) =>
        clientOf(create({ baseUrl: `http://${grpcAddress}`, httpVersion: "2", useBinaryFormat })),
      ));
  }
}

const fails = async (call: Promise<unknown>): Promise<ConnectError> => {
  const error = await call.then(
    () => assert.fail("answered"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConnectError, String(error));
  return error;
};

/** The reason of the ErrorInfo of an error, found in its bytes. */
const reasonsOf = ({ details }: ConnectError): string[] =>
  details.flatMap((detail) =>
    "value" in detail && detail.value instanceof Uint8Array ? [new TextDecoder().decode(detail.value)] : [],
  );

overEach("calls, streams and errors with details", async (t, client) => {
  const calls = client(await served(t));
  const { payload } = await calls.sendMessage(message("x"), { headers });
  assert.equal(payload.value.status.state, 3);
  const { id } = payload.value;
  const events: string[] = [];
  let first = "";
  const onHeader = (received: Headers) => {
    first = received.get("first-event-id") ?? "";
  };
  for await (const event of calls.sendStreamingMessage(message("x"), { headers, onHeader }))
    events.push(event.payload.case);
  assert.deepEqual(events, ["task", "statusUpdate"]);
  assert.equal(first, "1");
  const missing = await fails(calls.getTask({ id: "none" }, { headers }));
  assert.equal(missing.code, Code.NotFound);
  assert.match(reasonsOf(missing).join(), /TASK_NOT_FOUND/);
  const ended = await fails(calls.subscribeToTask({ id }, { headers })[Symbol.asyncIterator]().next());
  assert.equal(ended.code, Code.FailedPrecondition);
  assert.match(reasonsOf(ended).join(), /UNSUPPORTED_OPERATION/);
});

overEach("a reader that leaves ends its stream, and the task goes on", async (t, client) => {
  const { open, opened } = gate();
  const execute: Executor = async function* () {
    yield working();
    await opened;
    yield completed();
  };
  const calls = client(await served(t, execute, { limits: { streamsPerPrincipal: 1 } }));
  const left = new AbortController();
  const events = calls.sendStreamingMessage(message("x"), { headers, signal: left.signal });
  const { value } = await events[Symbol.asyncIterator]().next();
  const { id } = value.payload.value;
  left.abort();
  // There is one place for a stream, so that a further one needs that of the first.
  const again = async () => {
    const { value: event } = await calls.subscribeToTask({ id }, { headers })[Symbol.asyncIterator]().next();
    return event;
  };
  let event = await again().catch(() => undefined);
  for (let tries = 0; event === undefined && tries < 100; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    event = await again().catch(() => undefined);
  }
  assert.equal(event?.payload.value.id, id);
  open();
});

overEach("limits hold: the size of a message, deadlines, and what a caller may do", async (t, client) => {
  const { opened } = gate();
  const card = {
    ...plainCard,
    securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  };
  const execute: Executor = async function* () {
    yield working();
    await opened;
  };
  const calls = client(
    await serveGrpc(
      t,
      { card, execute },
      {
        auth: { verifiers: { key: apiKeys({ k1: "ann" }) } },
        grpc: { web: true },
        limits: { body: 64 * 1024 },
      },
    ),
  );
  const stranger = await fails(calls.sendMessage(message("x"), { headers }));
  assert.equal(stranger.code, Code.Unauthenticated);
  const known = { headers: { ...headers, "x-key": "k1" } };
  const large = await fails(calls.sendMessage(message("x".repeat(65 * 1024)), known));
  assert.equal(large.code, Code.ResourceExhausted);
  assert.match(reasonsOf(large).join(), /REQUEST_TOO_LARGE/);
  const late = await fails(calls.sendMessage(message("x"), { ...known, timeoutMs: 100 }));
  assert.equal(late.code, Code.DeadlineExceeded);
  const { tasks } = await calls.listTasks({}, known);
  assert.equal(tasks[0].status.state, 2);
});

test("a browser of an allowed origin may call and read what it gets, and one of another may not", async (t) => {
  const origin = "https://page.example";
  const { url } = await served(t, echo, { cors: [origin] });
  const path = `${url}/lf.a2a.v1.A2AService/GetTask`;
  const asked = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "a2a-version,x-grpc-web",
  };
  const preflight = await fetch(path, { method: "OPTIONS", headers: { origin, ...asked } });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), origin);
  assert.equal(preflight.headers.get("access-control-allow-headers"), "a2a-version,x-grpc-web");
  const other = await fetch(path, {
    method: "OPTIONS",
    headers: { origin: "https://other.example", ...asked },
  });
  assert.equal(other.headers.get("access-control-allow-origin"), null);
  const body = new Uint8Array(5);
  const type = { "content-type": "application/grpc-web+proto" };
  const answer = await fetch(path, { method: "POST", body, headers: { origin, ...type, ...headers } });
  assert.equal(answer.headers.get("access-control-allow-origin"), origin);
  const exposed = answer.headers.get("access-control-expose-headers")?.toLowerCase().split(", ") ?? [];
  for (const name of [
    "grpc-status",
    "grpc-message",
    "grpc-status-details-bin",
    "first-event-id",
    "retry-after",
  ])
    assert.ok(exposed.includes(name), name);
  assert.match(await answer.text(), /grpc-status: 3/);
});

test("each agent has gRPC-Web below its path, and its card lists it", async (t) => {
  const agents = {
    "/one": { card: { ...plainCard, name: "One" }, execute: echo },
    "/two": { card: plainCard, execute: echo },
  };
  const { url } = await serveGrpc(t, agents, { grpc: { web: true } });
  for (const path of ["/one", "/two"]) {
    const card = (await (await fetch(`${url}${path}/.well-known/agent-card.json`)).json()) as AgentCard;
    const [entry, older] = card.supportedInterfaces.filter((one) => one.protocolBinding === GRPC_WEB);
    assert.deepEqual(entry, { url: url + path, protocolBinding: GRPC_WEB, protocolVersion });
    assert.ok(older !== undefined);
    const calls = clientOf(createGrpcWebTransport({ baseUrl: url + path, httpVersion: "1.1" }));
    const { payload } = await calls.sendMessage(message("x"), { headers });
    assert.equal(payload.value.status.state, 3);
  }
});

test("a port with TLS answers gRPC-Web over HTTP/1.1 and HTTP/2, and a request of gRPC over HTTP/1.1 breaks nothing", async (t) => {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost", "IP:127.0.0.1"] });
  const { port } = await served(t, echo, { grpc: { tls: { cert, key } } });
  const baseUrl = `https://localhost:${port}`;
  const nodeOptions = { ca: cert };
  for (const httpVersion of ["1.1", "2"] as const) {
    const calls = clientOf(createGrpcWebTransport({ baseUrl, httpVersion, nodeOptions }));
    const { payload } = await calls.sendMessage(message("x"), { headers });
    assert.equal(payload.value.status.state, 3);
  }
  const { statusCode } = await new Promise<Json>((resolve, reject) => {
    const type = { "content-type": "application/grpc" };
    const call = { host: "localhost", port, ca: cert, method: "POST", path: "/a.B/C", headers: type };
    void import("node:https").then(({ request: send }) => send(call, resolve).on("error", reject).end());
  });
  assert.equal(statusCode, 404);
});

test("agents below paths are called over HTTP/2 with TLS at the URLs in their cards", async (t) => {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost", "IP:127.0.0.1"] });
  const agent = { card: plainCard, execute: echo };
  const bindings = ["JSONRPC", "GRPC"] as const;
  const server = await serve(
    { "/a": agent, "/b": agent },
    { bindings, grpc: { tls: { cert, key }, web: true } },
  );
  t.onTestFinished(() => server.close(0));
  for (const [protocol, create, useBinaryFormat] of transports) {
    for (const path of ["a", "b"]) {
      const baseUrl = `https://localhost:${server.port}/${path}`;
      const nodeOptions = { ca: cert };
      const calls = clientOf(create({ baseUrl, httpVersion: "2", nodeOptions, useBinaryFormat }));
      const { payload } = await calls.sendMessage(message("x"), { headers });
      assert.equal(payload.value.status.state, 3, `${protocol} at /${path}`);
    }
  }
});

test("without the option there is neither, and the card says nothing of them", async (t) => {
  const { url, grpcAddress } = await serveGrpc(t, { card: plainCard, execute: echo });
  const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as AgentCard;
  assert.deepEqual(new Set(card.supportedInterfaces.map((one) => one.protocolBinding)).size, 3);
  const error = await fails(
    clientOf(createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" })).getTask({ id: "x" }, { headers }),
  );
  assert.equal(error.code, Code.Unimplemented);
  const over2 = clientOf(createConnectTransport({ baseUrl: `http://${grpcAddress}`, httpVersion: "2" }));
  await fails(over2.getTask({ id: "x" }, { headers }));
});

test("calls that a connection sends ahead are answered in order, and one that is cut off leaves nothing behind", async (t) => {
  const { url } = await served(t);
  const { hostname, port } = new URL(url);
  const socket = connectSocket(Number(port), hostname);
  socket.on("error", () => undefined);
  const body = JSON.stringify({ id: "none" });
  const call =
    `POST /lf.a2a.v1.A2AService/GetTask HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(call.repeat(5));
  let received = "";
  for await (const chunk of socket) {
    received += chunk;
    if (received.split("TASK_NOT_FOUND").length > 5 || received.split("not_found").length > 5) break;
  }
  assert.equal(received.match(/HTTP\/1\.1 404/g)?.length, 5);
  const cut = request(`${url}/lf.a2a.v1.A2AService/GetTask`, {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": "100", ...headers },
  });
  cut.on("error", () => undefined);
  cut.write("{");
  await new Promise((resolve) => setTimeout(resolve, 50));
  cut.destroy();
  const calls = clientOf(createConnectTransport({ baseUrl: url, httpVersion: "1.1" }));
  assert.equal((await calls.sendMessage(message("x"), { headers })).payload.value.status.state, 3);
});
