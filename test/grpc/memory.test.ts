import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { toBinary } from "@bufbuild/protobuf";
import { type TestContext, test } from "vitest";
import { loadService, messageOf } from "../../src/grpc/service.js";
import { grpcPeer, service } from "../support/grpc-peer.js";
import { beginHttp2, FRAMES, frame, framedMessage, headersOf, PATH } from "../support/http2-frames.js";
import { text } from "../support/peer.js";
import { SmallHeapServer } from "../support/small-heap.js";

const MIB = 1024 * 1024;
const CONNECTIONS = 4;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const drained = (socket: Socket) => once(socket, "drain").catch(() => undefined);

/** Writes until the server ends the connection, or so many bytes have been written. */
async function flood(socket: Socket, bytes: Buffer, most: number): Promise<void> {
  for (let written = 0; written < most && !socket.destroyed; written += bytes.length) {
    if (!socket.write(bytes)) await Promise.race([drained(socket), pause(100)]);
    if (socket.writableLength > 4 * MIB) return;
  }
}

const { input } = (await loadService(service)).method.sendMessage ?? {};
assert.ok(input);
const bytesOf = (words: string): Uint8Array => toBinary(input, messageOf(input, text(words)));

const sessions: ClientHttp2Session[] = [];

/** Opens a session of an attacker, whose address has a share of the bytes that may be received; the other caller's address has its own. */
function opened(t: TestContext, port: number): ClientHttp2Session {
  const session = connectHttp2(`http://127.0.0.1:${port}`, {
    createConnection: () => connect({ host: "127.0.0.1", port, localAddress: "127.0.0.2" }),
  });
  session.on("error", () => undefined);
  t.onTestFinished(() => session.destroy());
  sessions.push(session);
  return session;
}

function call(session: ClientHttp2Session, method: string, body: Buffer, more: object = {}) {
  const stream = session.request({
    ":method": "POST",
    ":path": PATH + method,
    "content-type": "application/grpc",
    "a2a-version": "1.0",
    te: "trailers",
    ...more,
  });
  stream.on("error", () => undefined);
  stream.end(body);
  return stream;
}

/** Attacks, each from several connections at a time. */
const attacks: Readonly<Record<string, (t: TestContext, port: number) => Promise<void>>> = {
  async "streams that are reset at once"(t, port) {
    const socket = await beginHttp2(t, port);
    const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
    const headers = headersOf(`${PATH}GetTask`);
    for (let stream = 1; stream < 8000 && !socket.destroyed; stream += 2) {
      const opened = frame(FRAMES.headers, 4, stream, headers);
      socket.write(Buffer.concat([opened, frame(FRAMES.reset, 0, stream, cancel)]));
      if (stream % 400 === 1) await pause(1);
    }
  },
  async "headers that never end"(t, port) {
    const socket = await beginHttp2(t, port);
    socket.write(frame(FRAMES.headers, 0, 1, headersOf(`${PATH}GetTask`)));
    const field = Buffer.concat([Buffer.from([0, 1]), Buffer.from("x"), Buffer.from([1]), Buffer.from("y")]);
    await flood(socket, frame(FRAMES.continuation, 0, 1, field), MIB);
  },
  async "SETTINGS whose answers are not read"(t, port) {
    const socket = await beginHttp2(t, port);
    socket.pause();
    const some = Buffer.concat(Array.from({ length: 1000 }, () => frame(FRAMES.settings, 0, 0)));
    await flood(socket, some, 16 * MIB);
  },
  async "PINGs whose answers are not read"(t, port) {
    const socket = await beginHttp2(t, port);
    socket.pause();
    const ping = frame(FRAMES.ping, 0, 0, new Uint8Array(8));
    await flood(socket, Buffer.concat(Array.from({ length: 1000 }, () => ping)), 16 * MIB);
  },
  async "small messages that become large ones"(t, port) {
    const session = opened(t, port);
    const bomb = framedMessage(gzipSync(Buffer.alloc(64 * MIB)), true);
    const streams = Array.from({ length: 8 }, () =>
      call(session, "SendMessage", bomb, { "grpc-encoding": "gzip" }),
    );
    await Promise.all(streams.map((stream) => once(stream.resume(), "close")));
  },
  async "messages that do not end"(t, port) {
    const session = opened(t, port);
    const begin = framedMessage(bytesOf("x".repeat(8 * MIB)), false).subarray(0, 4 * MIB);
    const headers = { ":method": "POST", ":path": `${PATH}SendMessage`, "content-type": "application/grpc" };
    for (let count = 0; count < 25; count++) {
      const stream = session.request(headers);
      stream.on("error", () => undefined);
      stream.resume().write(begin);
    }
    await pause(1000);
  },
  async "streams that nobody reads"(t, port) {
    const session = opened(t, port);
    const body = framedMessage(bytesOf("flood"), false);
    for (let count = 0; count < 5; count++) call(session, "SendStreamingMessage", body);
    await pause(1000);
  },
};

test("SEC-08: a server with a heap of 256 MiB outlives every flood of HTTP/2, from many connections at a time", async (t) => {
  const server = await SmallHeapServer.start("test/grpc/small-server.ts");
  t.onTestFinished(() => server.stop());
  const peer = await grpcPeer(t, `127.0.0.1:${server.port}`);
  const answers = async (name: string) => {
    const { result, error } = await peer.call("SendMessage", text("hello"));
    assert.ok(result, `${name}: ${error ?? ""} ${server.death ?? ""}`);
  };
  await answers("before");
  const before = await server.held();
  for (const [name, attack] of Object.entries(attacks)) {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => attack(t, server.port)));
    assert.equal(server.death, undefined, name);
    await answers(name);
  }
  // Callers leave in the middle of all that they have begun.
  for (const session of sessions) session.destroy();
  await pause(500);
  await answers("after");
  const { heap, buffers } = await server.held();
  assert.ok(heap - before.heap < 200 * MIB, `the heap has grown by ${(heap - before.heap) / MIB} MiB`);
  assert.ok(buffers - before.buffers < 256 * MIB, `${buffers / MIB} MiB of buffers`);
});
