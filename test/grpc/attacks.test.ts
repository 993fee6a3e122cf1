import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { toBinary } from "@bufbuild/protobuf";
import { type TestContext, test } from "vitest";
import { loadService, messageOf } from "../../src/grpc/service.js";
import { completed, working } from "../../src/index.js";
import { UnimplementedHandler } from "../../src/protocol/unimplemented-handler.js";
import type { ServeOptions } from "../../src/server/index.js";
import { service } from "../support/grpc-peer.js";
import { beginHttp2, FRAMES, frame, framedMessage, headersOf, PATH } from "../support/http2-frames.js";
import { plainCard, serveGrpc, text } from "../support/peer.js";

/** An agent over gRPC, and proof that it still answers others. */
async function served(t: TestContext, options: ServeOptions = {}) {
  const execute = async function* () {
    yield working();
    yield completed();
  };
  const { grpcAddress, grpc } = await serveGrpc(
    t,
    { card: plainCard, execute },
    { logger: false, ...options },
  );
  const answersOthers = async () => assert.ok((await grpc.call("SendMessage", text("x"))).result);
  return { port: Number(grpcAddress.split(":").at(-1)), url: `http://${grpcAddress}`, answersOthers };
}

/** Whether the server has ended a connection, in so many milliseconds. */
async function isEnded(socket: Socket, milliseconds = 5000): Promise<boolean> {
  const until = Date.now() + milliseconds;
  socket.resume();
  while (!socket.destroyed && !socket.readableEnded && Date.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return socket.destroyed || socket.readableEnded;
}

test("SEC-08: a connection that opens and resets streams without end is turned away", async (t) => {
  const { port, answersOthers } = await served(t);
  const socket = await beginHttp2(t, port);
  const received: Buffer[] = [];
  socket.on("data", (chunk) => received.push(chunk));
  const headers = headersOf(`${PATH}GetTask`);
  const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
  for (let stream = 1; stream < 3200 && !socket.destroyed; stream += 2) {
    socket.write(
      Buffer.concat([frame(FRAMES.headers, 4, stream, headers), frame(FRAMES.reset, 0, stream, cancel)]),
    );
    if (stream % 400 === 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const isTurnedAway = () => typesIn(Buffer.concat(received)).includes(FRAMES.goAway);
  for (let tries = 0; !isTurnedAway() && tries < 600; tries++) await pause(50);
  assert.ok(isTurnedAway());
  await answersOthers();
});

/** The types of the frames in what a server has sent. */
function typesIn(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) types.push(bytes[at + 3] ?? 0);
  return types;
}

test("SEC-08: headers that never end are cut off", async (t) => {
  const { port, answersOthers } = await served(t);
  const socket = await beginHttp2(t, port);
  socket.write(frame(FRAMES.headers, 0, 1, headersOf(`${PATH}GetTask`)));
  const field = Buffer.concat([Buffer.from([0, 1]), Buffer.from("x"), Buffer.from([1]), Buffer.from("y")]);
  for (let count = 0; count < 5000 && !socket.destroyed; count++) {
    socket.write(frame(FRAMES.continuation, 0, 1, field));
    if (count % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(await isEnded(socket));
  await answersOthers();
});

for (const [name, type, payload] of [
  ["SETTINGS", FRAMES.settings, new Uint8Array()],
  ["PING", FRAMES.ping, new Uint8Array(8)],
] as const) {
  test(`SEC-08: a flood of ${name} whose answers are not read ends its connection`, async (t) => {
    const { port, answersOthers } = await served(t);
    const socket = await beginHttp2(t, port);
    socket.pause();
    const some = Buffer.concat(Array.from({ length: 1000 }, () => frame(type, 0, 0, payload)));
    // The answers fill the buffers of the system first, which are megabytes.
    for (let round = 0; round < 3000 && !socket.destroyed; round++) {
      if (!socket.write(some)) await Promise.race([drained(socket), pause(200)]);
      if (socket.writableLength > 16 * 1024 * 1024) break;
    }
    assert.ok(socket.destroyed);
    await answersOthers();
  });
}

const drained = (socket: Socket) => once(socket, "drain").catch(() => undefined);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends bytes as the message of a call, and gives its status. */
async function statusOf(
  t: TestContext,
  url: string,
  name: string,
  body: Buffer,
  more: object = {},
): Promise<string> {
  const session = connectHttp2(url);
  t.onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": PATH + name,
    "content-type": "application/grpc",
    "a2a-version": "1.0",
    te: "trailers",
    ...more,
  });
  stream.resume();
  stream.on("error", () => undefined);
  let status = "";
  const take = (headers: object) => {
    status = String((headers as { "grpc-status"?: string })["grpc-status"] ?? status);
  };
  stream.on("response", take).on("trailers", take);
  stream.end(body);
  await once(stream, "close");
  return status;
}

test("SEC-08, G-44: a small message that becomes a large one is refused, and so is one that says it is large", async (t) => {
  const { url, answersOthers } = await served(t, { limits: { body: 256 * 1024 } });
  const { input } = (await loadService(service)).method.sendMessage ?? {};
  assert.ok(input);
  const large = toBinary(input, messageOf(input, text("x".repeat(64 * 1024 * 1024))));
  const before = process.memoryUsage().rss;
  const bomb = framedMessage(gzipSync(large), true);
  assert.ok(bomb.length < 128 * 1024);
  assert.equal(await statusOf(t, url, "SendMessage", bomb, { "grpc-encoding": "gzip" }), "8");
  const claim = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]);
  assert.equal(await statusOf(t, url, "SendMessage", claim), "8");
  assert.ok(process.memoryUsage().rss - before < 128 * 1024 * 1024);
  const small = framedMessage(gzipSync(toBinary(input, messageOf(input, text("hello")))), true);
  assert.equal(await statusOf(t, url, "SendMessage", small, { "grpc-encoding": "gzip" }), "0");
  await answersOthers();
});

test("SEC-08: what is no message is INVALID_ARGUMENT, INTERNAL or cut, and a message that does not arrive is cut off", async (t) => {
  const { url, answersOthers } = await served(t, { limits: { requestTime: 0.3 } });
  const bytes = framedMessage(Buffer.from([0xff, 0xff, 0xff, 0xff]), false);
  assert.match(await statusOf(t, url, "SendMessage", bytes), /^(3|13)$/);
  const session = connectHttp2(url);
  t.onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": `${PATH}SendMessage`,
    "content-type": "application/grpc",
  });
  stream.on("error", () => undefined);
  stream.write(Buffer.from([0, 0, 0, 0, 9]));
  await once(stream, "close");
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
  await answersOthers();
});

test("SEC-08: a stream of reflection lasts as long as questions come, and is cut off when none does", async (t) => {
  const { url } = await served(t, { grpc: { reflection: true }, limits: { requestTime: 1 } });
  const session = connectHttp2(url);
  t.onTestFinished(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "content-type": "application/grpc",
  });
  stream.on("error", () => undefined);
  const listServices = framedMessage(Buffer.from([7 * 8 + 2, 1, "*".charCodeAt(0)]), false);
  for (let count = 0; count < 6; count += 1) {
    stream.write(listServices);
    await once(stream, "data");
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  assert.ok(!stream.closed);
  await once(stream, "close");
  assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
});

test("SEC-08: a connection has a hundred streams at most", async (t) => {
  const { url } = await served(t);
  const session = connectHttp2(url);
  t.onTestFinished(() => session.destroy());
  const [settings] = await once(session, "remoteSettings");
  assert.equal(settings.maxConcurrentStreams, 100);
  assert.equal(settings.enablePush, false);
});

test("SEC-08: a hundred readers on one connection that take nothing are cut off, and their sources are released", async (t) => {
  let open = 0;
  const ids = { taskId: "t", contextId: "c" };
  async function* endless() {
    open += 1;
    try {
      yield { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" as const } } };
      for (;;)
        yield {
          artifactUpdate: { ...ids, artifact: { artifactId: "a", parts: [{ text: "x".repeat(1000) }] } },
        };
    } finally {
      open -= 1;
    }
  }
  const handler = Object.assign(new UnimplementedHandler(), {
    sendStreamingMessage: endless,
    subscribeToTask: endless,
  });
  const card = { ...plainCard, capabilities: { streaming: true } };
  const { grpcAddress } = await serveGrpc(t, { card, handler } as never, {
    heartbeat: 0.2,
    limits: { writeTime: 0.4 },
    logger: false,
  });
  const session = connectHttp2(`http://${grpcAddress}`);
  t.onTestFinished(() => session.destroy());
  const { input } = (await loadService(service)).method.sendStreamingMessage ?? {};
  assert.ok(input);
  const body = framedMessage(toBinary(input, messageOf(input, text("x"))), false);
  for (let count = 0; count < 100; count++) {
    const stream = session.request({
      ":method": "POST",
      ":path": `${PATH}SendStreamingMessage`,
      "content-type": "application/grpc",
      "a2a-version": "1.0",
      te: "trailers",
    });
    stream.on("error", () => undefined);
    stream.end(body);
  }
  for (let tries = 0; open < 100 && tries < 400; tries++) await pause(25);
  assert.equal(open, 100);
  for (let tries = 0; open > 0 && tries < 800; tries++) await pause(25);
  assert.equal(open, 0);
});

test("SEC-08: the limits of values and members apply to messages of gRPC too", async (t) => {
  const { grpc } = await serveGrpc(t, {
    card: plainCard,
    async *execute() {
      yield completed();
    },
  });
  const send = (data: unknown) => grpc.call("SendMessage", text("x", { message: { parts: [{ data }] } }));
  const many = (count: number) => Array.from({ length: count }, (_, index) => [`name ${index}`, 0]);
  const members = await send(Object.fromEntries(many(60_000)));
  assert.deepEqual(
    [members.error, members.message],
    ["INVALID_REQUEST", "Invalid request: its objects have more than 50000 members"],
  );
  const values = await send(Array.from({ length: 210_000 }, () => 0));
  assert.deepEqual(
    [values.error, values.message],
    ["INVALID_REQUEST", "Invalid request: it holds more than 200000 values"],
  );
  assert.ok((await send(Object.fromEntries(many(40_000)))).result);
});
