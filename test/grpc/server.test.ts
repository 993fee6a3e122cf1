import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTls } from "node:tls";
import * as grpc from "@grpc/grpc-js";
import { type TestContext, test } from "vitest";
import { loadService } from "../../src/grpc/service.js";
import { type AgentCard, completed, type Executor, working } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { createHandler } from "../../src/server/fetch/index.js";
import { bearerTokens, createApp, type ServeOptions } from "../../src/server/index.js";
import { defaultVersions } from "../../src/versions/codecs.js";
import { cardOf, schemes } from "../auth/card.js";
import { certify } from "../auth/certificates.js";
import { gate } from "../support/both.js";
import { detailsOf, fieldsIn, grpcClient, metadataOf, service, textOf } from "../support/grpc-peer.js";
import { plainCard, serveGrpc, text } from "../support/peer.js";

const echo: Executor = async function* () {
  yield working("on it");
  yield completed("done");
};

const served = (t: TestContext, execute: Executor = echo, options: ServeOptions = {}, more: object = {}) =>
  serveGrpc(t, { card: plainCard, execute, ...more }, options);

/** Calls a method as a client of Google's library does, and gives what it gets: the answer or the error, with the metadata. */
async function raw(t: TestContext, address: string, credentials?: grpc.ChannelCredentials) {
  const client = grpcClient(await loadService(service), address, credentials);
  t.onTestFinished(() => client.close());
  return (name: string, request: object, metadata = metadataOf(), options: grpc.CallOptions = {}) =>
    new Promise<{ error?: grpc.ServiceError; result?: any; metadata: grpc.Metadata }>((resolve) => {
      let received = new grpc.Metadata();
      const call = client[name]?.(
        request,
        metadata,
        options,
        (error: grpc.ServiceError | null, result: unknown) =>
          resolve({ ...(error ? { error } : { result }), metadata: received }),
      );
      call.on("metadata", (some: grpc.Metadata) => {
        received = some;
      });
    });
}

test("G-01, G-12, G-13: one port with TLS serves gRPC, HTTP and the card, which lists it as host:port", async (t) => {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost", "IP:127.0.0.1"] });
  const { url, grpcAddress, port } = await served(t, echo, { grpc: { tls: { cert, key } } });
  assert.equal(url, `https://127.0.0.1:${port}`);
  assert.equal(grpcAddress, `127.0.0.1:${port}`);
  const call = await raw(t, `localhost:${port}`, grpc.credentials.createSsl(Buffer.from(cert)));
  const { result } = await call("SendMessage", text("hello"));
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  // A client of HTTP/2 that is none of gRPC meets the same agent.
  const session = connectHttp2(`https://localhost:${port}`, { ca: cert });
  t.onTestFinished(() => session.destroy());
  const stream = session.request({ ":path": "/.well-known/agent-card.json" });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const card = JSON.parse(Buffer.concat(chunks).toString());
  const entries = card.supportedInterfaces.filter((entry: any) => entry.protocolBinding === "GRPC");
  const at = { url: `127.0.0.1:${port}`, protocolBinding: "GRPC" };
  assert.deepEqual(
    entries,
    defaultVersions.map((protocolVersion) => ({ ...at, protocolVersion })),
  );
});

test("G-02, G-10: each method is there, and any other is UNIMPLEMENTED", async (t) => {
  const { grpcAddress } = await served(t, echo, { push: {} });
  const call = await raw(t, grpcAddress);
  const { methods } = await loadService(service);
  assert.equal(methods.length, 11);
  for (const { name, methodKind } of methods) {
    if (methodKind !== "unary") continue;
    const { error } = await call(name, {});
    assert.notEqual(error?.code, grpc.status.UNIMPLEMENTED, name);
  }
  const client = new grpc.Client(grpcAddress, grpc.credentials.createInsecure());
  t.onTestFinished(() => client.close());
  for (const path of ["/lf.a2a.v1.A2AService/Nothing", "/other.Service/SendMessage", "/"]) {
    const same = (bytes: Buffer) => bytes;
    const error = await new Promise<grpc.ServiceError | null>((resolve) => {
      client.makeUnaryRequest(path, same, same, Buffer.alloc(0), (failure) => resolve(failure));
    });
    assert.equal(error?.code, grpc.status.UNIMPLEMENTED, path);
  }
});

test("G-11: an agent with gRPC alone has its card over HTTP, with that interface alone", async (t) => {
  const { url, grpcAddress } = await served(t, echo, { bindings: ["GRPC"], versions: ["1.0"] });
  const response = await fetch(`${url}/.well-known/agent-card.json`);
  const card = (await response.json()) as AgentCard;
  assert.deepEqual(card.supportedInterfaces, [
    { url: grpcAddress, protocolBinding: "GRPC", protocolVersion: "1.0" },
  ]);
  assert.equal((await fetch(url, { method: "POST", body: "{}" })).status, 404);
});

test("SEC-08: a slow or large request over HTTP/1.1 is ended on a port that gRPC shares, too", async (t) => {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"] });
  const limits = { requestTime: 0.4, headers: 4096 };
  const { port } = await served(t, echo, { limits, grpc: { tls: { cert, key } } });
  const options = { port: Number(port), ca: cert, servername: "localhost", ALPNProtocols: ["http/1.1"] };
  for (const [sent, status] of [
    ["X-Slow", 408],
    [`X-Large: ${"x".repeat(8192)}`, 431],
  ] as const) {
    const socket = connectTls(options);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${sent}`);
    const received = (await socket.toArray()).join("");
    assert.match(received, new RegExp(`^HTTP/1.1 ${status} `));
  }
});

test("G-01: gRPC is served where the options say, and only by `serve`", async (t) => {
  const { grpcAddress } = await served(t, echo, { grpc: { address: "agent.example.com:443" } });
  assert.equal(grpcAddress, "agent.example.com:443");
  const behind = await served(t, echo, { publicUrl: "http://[2001:db8::1]:4000" });
  assert.match(String(behind.grpcAddress), /^\[2001:db8::1\]:\d+$/);
  const agent = { card: plainCard, execute: echo };
  assert.throws(() => createApp(agent, { bindings: ["GRPC"] }), /only `serve` has a port for "GRPC"/);
  assert.throws(() => createHandler(agent, { bindings: ["GRPC"] }), /only `serve` has a port for "GRPC"/);
  await assert.rejects(served(t, echo, { bindings: ["JSONRPC"], grpc: {} }), /name "GRPC" in bindings/);
  await assert.rejects(served(t, echo, { grpc: { prot: 1 } as object }), /prot/);
  const tls = {};
  await assert.rejects(
    served(t, echo, { host: "127.0.0.1", grpc: { tls, host: "127.0.0.2" } }),
    /grpc\.host: .* port of HTTP, which is on "127\.0\.0\.1".* grpc\.port/,
  );
});

test("G-20, G-22, G-30, G-32: a version that is not spoken is refused, and the details say the same as the status", async (t) => {
  const { grpcAddress } = await served(t);
  const call = await raw(t, grpcAddress);
  const { error } = await call("GetTask", { id: "t" }, metadataOf({ "a2a-version": "99.0" }));
  assert.ok(error);
  assert.equal(error.code, grpc.status.FAILED_PRECONDITION);
  const info = detailsOf(error).ErrorInfo;
  assert.deepEqual([textOf(info.get(1)), textOf(info.get(2))], ["VERSION_NOT_SUPPORTED", "a2a-protocol.org"]);
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  const status = fieldsIn(bytes as Uint8Array);
  assert.equal(status.get(1)?.[0], error.code);
  assert.equal(textOf(status.get(2)), error.details);
});

test("G-23: a call without a version is one of 0.3, unless the server takes it from the path", async (t) => {
  const strict = await raw(t, (await served(t)).grpcAddress);
  const { error } = await strict("ListTasks", {}, new grpc.Metadata());
  assert.equal(error?.code, grpc.status.FAILED_PRECONDITION);
  assert.match(error?.details ?? "", new RegExp(`send the header "A2A-Version: ${protocolVersion}"`));
  const lax = await raw(t, (await served(t, echo, { inferVersion: true })).grpcAddress);
  assert.equal((await lax("ListTasks", {}, new grpc.Metadata())).error, undefined);
});

test("G-21, G-24, G-25: required extensions are demanded, and those that are on are told in initial metadata", async (t) => {
  const uris = ["https://example.com/a", "https://example.com/b"];
  const extensions = uris.map((uri) => ({ uri, required: true }));
  const card = { ...plainCard, capabilities: { extensions } };
  const { grpcAddress } = await served(t, echo, {}, { card });
  const call = await raw(t, grpcAddress);
  const { error } = await call("SendMessage", text("x"));
  assert.equal(error?.code, grpc.status.FAILED_PRECONDITION);
  assert.equal(textOf(detailsOf(error as grpc.ServiceError).ErrorInfo.get(1)), "EXTENSION_SUPPORT_REQUIRED");
  const joined = await call("SendMessage", text("x"), metadataOf({ "a2a-extensions": uris.join(", ") }));
  assert.deepEqual(joined.metadata.get("a2a-extensions"), [uris.join(", ")]);
  const repeated = metadataOf();
  for (const uri of uris) repeated.add("a2a-extensions", uri);
  assert.equal((await call("SendMessage", text("x"), repeated)).error, undefined);
});

test("G-27: the tenant of a request reaches the agent", async (t) => {
  const seen: string[] = [];
  const { grpcAddress } = await served(t, async function* ({ call }) {
    seen.push(call.tenant);
    yield completed();
  });
  const call = await raw(t, grpcAddress);
  const { result } = await call("SendMessage", { ...text("x"), tenant: "acme" });
  assert.deepEqual(seen, ["acme"]);
  const { id } = result.task;
  assert.equal((await call("GetTask", { id })).error?.code, grpc.status.NOT_FOUND);
  assert.equal((await call("GetTask", { id, tenant: "acme" })).result.id, id);
});

test("G-28: the deadline of a caller ends the call, and the task goes on", async (t) => {
  const { open, opened } = gate();
  const { grpcAddress } = await served(t, async function* () {
    yield working();
    await opened;
    yield completed("late");
  });
  const call = await raw(t, grpcAddress);
  const { error } = await call("SendMessage", text("x"), metadataOf(), { deadline: Date.now() + 300 });
  assert.equal(error?.code, grpc.status.DEADLINE_EXCEEDED);
  open();
  for (;;) {
    const { result } = await call("ListTasks", {});
    if (result.tasks[0].status.state === "TASK_STATE_COMPLETED") break;
  }
});

test("G-28: a deadline that is further off than a timer can be does not end the call", async (t) => {
  const call = await raw(t, (await served(t)).grpcAddress);
  for (const deadline of ["99999999H", "2147484S"]) {
    const { error, result } = await call("SendMessage", text("x"), metadataOf({ "grpc-timeout": deadline }));
    assert.equal(result?.task.status.state, "TASK_STATE_COMPLETED", error?.message);
  }
});

test("G-31, G-07: the path and the fault of a wrong member arrive", async (t) => {
  const { grpcAddress } = await served(t);
  const call = await raw(t, grpcAddress);
  const { error } = await call("SendMessage", text("", { message: { parts: [{ metadata: {} }] } }));
  assert.equal(error?.code, grpc.status.INVALID_ARGUMENT);
  const violation = fieldsIn(detailsOf(error as grpc.ServiceError).BadRequest.get(1)[0]);
  assert.equal(textOf(violation.get(1)), "message.parts[0]");
  assert.match(textOf(violation.get(2)), /exactly one of text, raw, url, data/);
});

test("G-32: a text with other letters, a percent sign and a line break arrives as it is", async (t) => {
  const message = "Grüße: 100 %\nund 😀";
  const { A2AError } = await import("../../src/index.js");
  const { grpcAddress } = await served(t, echo, {
    interceptors: [
      () => {
        throw new A2AError("PERMISSION_DENIED", message);
      },
    ],
  });
  const call = await raw(t, grpcAddress);
  const { error } = await call("GetTask", { id: "t" });
  assert.deepEqual([error?.code, error?.details], [grpc.status.PERMISSION_DENIED, message]);
});

test("G-34, G-44: too many calls and too large messages are RESOURCE_EXHAUSTED", async (t) => {
  const { grpcAddress } = await served(t, echo, {
    rateLimit: { requests: 2, seconds: 60 },
    limits: { body: 64 * 1024 },
  });
  const call = await raw(t, grpcAddress);
  const large = await call("SendMessage", text("x".repeat(65 * 1024)));
  assert.equal(large.error?.code, grpc.status.RESOURCE_EXHAUSTED);
  assert.match(large.error?.details ?? "", /larger than 65536 bytes/);
  assert.equal(textOf(detailsOf(large.error as grpc.ServiceError).ErrorInfo.get(1)), "REQUEST_TOO_LARGE");
  for (let count = 0; count < 2; count++) await call("ListTasks", {});
  const { error } = await call("ListTasks", {});
  assert.equal(error?.code, grpc.status.RESOURCE_EXHAUSTED);
  const details = detailsOf(error as grpc.ServiceError);
  assert.equal(textOf(details.ErrorInfo.get(1)), "RATE_LIMITED");
  const [delay] = details.RetryInfo.get(1);
  assert.ok(Number(fieldsIn(delay).get(1)?.[0]) > 0);
});

test("SEC-08: a message without a length counts while its caller is being identified, a small one passes", async (t) => {
  const { open, opened } = gate();
  const asked = { first: gate(), small: gate(), second: gate() };
  const verify = (token: string) => {
    asked[token as keyof typeof asked].open();
    return opened.then(() => ({ id: "ann" }));
  };
  const { grpc: peer } = await served(
    t,
    echo,
    {
      auth: { verifiers: { bearer: bearerTokens(verify) } },
      limits: { bodiesPerAddress: 500_000 },
    },
    { card: cardOf({ bearer: schemes.bearer }, ["bearer"]) },
  );
  const send = (words: string, token: keyof typeof asked) =>
    peer.call("SendMessage", text(words), { authorization: `Bearer ${token}` });
  const large = "x".repeat(300_000);
  const first = send(large, "first");
  await asked.first.opened;
  const small = send("small", "small");
  await asked.small.opened;
  const second = await Promise.race([send(large, "second"), asked.second.opened]);
  open();
  assert.equal(second?.error, "RATE_LIMITED");
  for (const call of [first, small]) assert.ok((await call).result);
});

test("G-08, G-46: history_length 0 differs from none, and state 0 filters nothing", async (t) => {
  const { grpc: peer } = await served(t);
  const { result } = await peer.call("SendMessage", text("x"));
  const { id } = result.task;
  assert.equal((await peer.call("GetTask", { id })).result.history.length, 2);
  assert.equal((await peer.call("GetTask", { id, historyLength: 0 })).result.history, undefined);
  const all = await peer.call("ListTasks", { status: "TASK_STATE_UNSPECIFIED" });
  assert.equal(all.result.tasks.length, 1);
});

test("G-45: an empty messageId and a role of 0 are missing", async (t) => {
  const { grpc: peer } = await served(t);
  const noId = await peer.call("SendMessage", text("x", { message: { messageId: "" } }));
  assert.deepEqual([noId.error, noId.fields], ["INVALID_PARAMS", ["message.messageId"]]);
  const noRole = await peer.call("SendMessage", text("x", { message: { role: "ROLE_UNSPECIFIED" } }));
  assert.deepEqual([noRole.error, noRole.fields], ["INVALID_PARAMS", ["message.role"]]);
});
