import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type ClientHttp2Stream, connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { toBinary } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { type TestContext, test } from "vitest";
import { loadService, messageOf } from "../../src/grpc/service.js";
import { type CallContext, completed, type Executor, working } from "../../src/index.js";
import type { StreamResponse } from "../../src/protocol/model.js";
import { UnimplementedHandler } from "../../src/protocol/unimplemented-handler.js";
import { GrpcEvents } from "../../src/server/grpc/grpc-events.js";
import { apiKeys } from "../../src/server/index.js";
import { grpcClient, metadataOf, service } from "../support/grpc-peer.js";
import { plainCard, serveGrpc, text } from "../support/peer.js";

const echo: Executor = async function* () {
  yield working("on it");
  yield completed("done");
};

test("G-14: a task reads the same over all three bindings", async (t) => {
  const { rpc, rest, grpc: peer } = await serveGrpc(t, { card: plainCard, execute: echo });
  const sent = text("x", {
    message: { metadata: { a: [null, 1.5, { b: true }] }, parts: [{ raw: "AAEC/w==" }, { data: null }] },
  });
  const { result } = await peer.call("SendMessage", sent);
  const { id } = result.task;
  const [first, ...others] = await Promise.all([rpc, rest, peer].map((one) => one.call("GetTask", { id })));
  assert.deepEqual(first?.result.history[0].parts, [{ raw: "AAEC/w==" }, { data: null }]);
  for (const other of others) assert.deepEqual(other.result, first?.result);
});

test("G-33, G-26: who may call and what exists is told as over the other bindings", async (t) => {
  const card = {
    ...plainCard,
    securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  };
  const execute: Executor = async function* () {
    yield working();
    throw new Error("a secret");
  };
  const auth = { verifiers: { key: apiKeys({ k1: "ann", k2: "bob" }) } };
  const { grpcAddress } = await serveGrpc(t, { card, execute }, { auth, logger: false });
  const client = grpcClient(await loadService(service), grpcAddress);
  t.onTestFinished(() => client.close());
  const call = (name: string, request: object, headers: Record<string, string> = {}) =>
    new Promise<any>((resolve) => {
      client[name]?.(request, metadataOf(headers), (error: grpc.ServiceError | null, result: unknown) =>
        resolve(error ?? result),
      );
    });
  assert.equal((await call("SendMessage", text("x"))).code, grpc.status.UNAUTHENTICATED);
  assert.equal((await call("SendMessage", text("x"), { "x-key": "k3" })).code, grpc.status.UNAUTHENTICATED);
  const { task } = await call("SendMessage", text("x"), { "x-key": "k1" });
  assert.equal(task.status.state, "TASK_STATE_FAILED");
  assert.ok(!JSON.stringify(task).includes("secret"));
  const foreign = await call("GetTask", { id: task.id }, { "x-key": "k2" });
  const missing = await call("GetTask", { id: "nope" }, { "x-key": "k2" });
  assert.deepEqual([foreign.code, foreign.details], [missing.code, missing.details]);
  assert.equal(missing.code, grpc.status.NOT_FOUND);
});

/** An agent that gives an event whenever it is asked for one. */
class Counting extends UnimplementedHandler<CallContext> {
  events = 0;
  isEnded = false;

  override subscribeToTask(): AsyncGenerator<StreamResponse> {
    return this.sendStreamingMessage();
  }

  override async *sendStreamingMessage(): AsyncGenerator<StreamResponse> {
    const ids = { taskId: "t", contextId: "c" };
    try {
      yield { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } };
      for (;;) {
        this.events += 1;
        yield {
          artifactUpdate: {
            ...ids,
            artifact: { artifactId: "a", parts: [{ text: "x".repeat(1000) }] },
            append: this.events > 1,
          },
        };
      }
    } finally {
      this.isEnded = true;
    }
  }
}

const streaming = { ...plainCard, capabilities: { streaming: true } };
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("G-41, G-42: a reader that stops stops the agent, within the window of HTTP/2, and one that leaves ends it", async (t) => {
  const handler = new Counting();
  const { grpcAddress } = await serveGrpc(t, { card: streaming, handler } as never);
  const client = grpcClient(await loadService(service), grpcAddress);
  t.onTestFinished(() => client.close());
  const call = client.SendStreamingMessage?.(text("x"), metadataOf());
  call.on("error", () => undefined);
  for (let count = 0; count < 3; count++) {
    if (call.read() === null) await once(call, "readable");
  }
  await pause(300);
  const { events } = handler;
  await pause(300);
  assert.equal(handler.events, events);
  // What is under way fills windows and buffers of both sides, which is far less than a mebibyte here.
  assert.ok(events < 3000, `${events} events of a kilobyte`);
  call.cancel();
  for (let tries = 0; !handler.isEnded && tries < 100; tries++) await pause(20);
  assert.ok(handler.isEnded);
});

for (const [when, deadline] of [
  ["", {}],
  [", also after its deadline", { "grpc-timeout": "100m" }],
] as const)
  test(`G-41: a reader that takes nothing for too long is cut off${when}`, async (t) => {
    const handler = new Counting();
    const { grpcAddress } = await serveGrpc(t, { card: streaming, handler } as never, {
      heartbeat: 0.2,
      limits: { writeTime: 0.4 },
    });
    const stream = await openStream(t, grpcAddress, deadline);
    const cut = once(stream, "close");
    for (let tries = 0; !handler.isEnded && tries < 200; tries++) await pause(20);
    assert.ok(handler.isEnded);
    await cut;
  });

test("G-28: the server says that the deadline of a stream has passed", async (t) => {
  const { grpcAddress } = await serveGrpc(t, {
    card: plainCard,
    async *execute({ signal }) {
      yield working();
      await once(signal, "abort");
    },
  });
  const stream = await openStream(t, grpcAddress, { "grpc-timeout": "100m" });
  const [trailers] = await once(stream.resume(), "trailers");
  assert.equal(trailers["grpc-status"], String(grpc.status.DEADLINE_EXCEEDED));
});

/** Opens a stream that enforces no deadline itself. Nothing is read until it is resumed. */
async function openStream(t: TestContext, grpcAddress: string, headers: object): Promise<ClientHttp2Stream> {
  const session = connectHttp2(`http://${grpcAddress}`);
  t.onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": "/lf.a2a.v1.A2AService/SendStreamingMessage",
    "content-type": "application/grpc",
    ...{ "a2a-version": "1.0", te: "trailers", ...headers },
  });
  stream.on("error", () => undefined);
  const { input } = (await loadService(service)).method.sendStreamingMessage ?? {};
  assert.ok(input);
  const bytes = toBinary(input, messageOf(input, text("x")));
  return stream.end(Buffer.from([0, 0, 0, 0, bytes.length, ...bytes]));
}

test("G-43: a silent stream sends PINGs, and one that has been silent for too long ends", async () => {
  let pings = 0;
  const exchange = {
    ping: () => {
      pings += 1;
    },
    connection: { closed: false } as never,
    write: () => assert.fail("written"),
    drained: () => assert.fail("full"),
  };
  const silent = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
  const { signal } = new AbortController();
  const open = new Set();
  const streams = {
    add: (one: object) => void open.add(one),
    delete: (one: object) => void open.delete(one),
  };
  const events = new GrpcEvents({
    ...{ events: silent, frame: () => assert.fail("an event"), exchange, signal, streams },
    answer: { wrote: () => undefined, sent: () => undefined },
  });
  const ended = events.run();
  for (let beat = 0; beat < 4; beat++) events.beat(3);
  assert.equal(pings, 2);
  await ended;
  assert.equal(open.size, 0);
});

test("G-48: webhooks of an agent with gRPC alone are HTTP and JSON", async (t) => {
  const bodies: any[] = [];
  const receiver = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk) => chunks.push(chunk));
    req.on("end", () => {
      bodies.push(JSON.parse(Buffer.concat(chunks).toString()));
      res.end();
    });
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.onTestFinished(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const push = { allowHttp: true, allowPrivateNetworks: true };
  const { grpc: peer } = await serveGrpc(t, { card: plainCard, execute: echo }, { bindings: ["GRPC"], push });
  await peer.call("SendMessage", { ...text("x"), configuration: { taskPushNotificationConfig: { url } } });
  for (let tries = 0; bodies.length < 2 && tries < 200; tries++) await pause(20);
  assert.ok(bodies.length >= 2);
  assert.equal(bodies.at(-1).statusUpdate.status.state, "TASK_STATE_COMPLETED");
});
