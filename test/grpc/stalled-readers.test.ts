import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { type ClientHttp2Stream, connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { toBinary } from "@bufbuild/protobuf";
import { type TestContext, test, vi } from "vitest";
import { loadService, messageOf } from "../../src/grpc/service.js";
import { artifact, completed, type Executor, reply } from "../../src/index.js";
import type { Logger } from "../../src/protocol/logger.js";
import { StalledStreams } from "../../src/server/grpc/stalled-streams.js";
import type { ServeOptions, Telemetry } from "../../src/server/index.js";
import { certify } from "../auth/certificates.js";
import { fakeTimers } from "../support/fake-timers.js";
import { service } from "../support/grpc-peer.js";
import { beginHttp2, FRAMES, frame, framedMessage, headersOf, PATH } from "../support/http2-frames.js";
import { plainCard, serveGrpc, text } from "../support/peer.js";

const MIB = 1024 * 1024;

// Node limits the times of requests over HTTP/1.1 only.

async function opened(t: TestContext, options: ServeOptions, answer = "hello") {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"] });
  const agent = { card: plainCard, execute: async () => reply(answer) };
  const { port } = await serveGrpc(t, agent, { ...options, grpc: { tls: { cert, key } } });
  const session = connectHttp2(`https://localhost:${port}`, { ca: cert, maxSessionMemory: 1000 });
  session.on("error", () => undefined);
  t.onTestFinished(() => session.destroy());
  // A connection on which something happens all the time.
  const beat = setInterval(() => session.ping(() => undefined), 50);
  t.onTestFinished(() => clearInterval(beat));
  const post = (headers: object = {}) => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/",
      "content-type": "application/json",
      "a2a-version": "1.0",
      ...headers,
    });
    stream.on("error", () => undefined);
    return stream;
  };
  return { post };
}

test("SEC-08: a request over HTTP/2 that does not arrive in time is cut off", async (t) => {
  const { post } = await opened(t, { limits: { requestTime: 0.3 } });
  const stream = post({ "content-length": "1000" });
  stream.write("{");
  stream.resume();
  await once(stream, "close");
});

test("SEC-08: the reader of a gRPC answer that takes nothing is cut off, though it sends PINGs", async (t) => {
  const { post } = await opened(t, { limits: { writeTime: 0.3 } }, "y".repeat(3 * MIB));
  const { input } = (await loadService(service)).method.sendMessage ?? {};
  assert.ok(input);
  const stream = post({ ":path": `${PATH}SendMessage`, "content-type": "application/grpc", te: "trailers" });
  stream.end(framedMessage(toBinary(input, messageOf(input, text("hi"))), false));
  await once(stream, "response");
  while (stream.rstCode !== constants.NGHTTP2_CANCEL) await new Promise((resolve) => setTimeout(resolve, 5));
});

test("SEC-08: the reader of a gRPC-Web answer over HTTP/1.1 that takes nothing is cut off, though it sends requests", async (t) => {
  const agent = { card: plainCard, execute: async () => reply("y".repeat(9 * MIB)) };
  const { url } = await serveGrpc(t, agent, { grpc: { web: true }, limits: { writeTime: 0.3 } });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  t.onTestFinished(() => void socket.destroy());
  const body = JSON.stringify(text("hi"));
  socket.write(
    `POST ${PATH}SendMessage HTTP/1.1\r\nHost: a\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, "readable");
  const beat = setInterval(() => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), 50);
  t.onTestFinished(() => clearInterval(beat));
  const [error] = await once(socket, "error");
  assert.match(error.code, /^(?:ECONNRESET|EPIPE)$/);
});

/** Options of a server that tell what it reports of readers that it cuts off. */
function reported() {
  const lines: { readonly facts: Record<string, unknown>; readonly words: string }[] = [];
  const counts: string[] = [];
  const quiet = () => undefined;
  let told: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    told = resolve;
  });
  const logger: Logger = {
    ...{ debug: quiet, info: quiet, error: quiet },
    warn(facts, words) {
      if (words.startsWith("Agent card")) return;
      lines.push({ facts: { ...facts }, words });
      told();
    },
  };
  const telemetry: Telemetry = {
    begin: () => ({ trace: undefined, run: (body) => body(), annotate: quiet, end: quiet }),
    count: (counter) => void (counter === "a2a.server.stalled" && counts.push(counter)),
    ...{ time: quiet, observe: () => quiet },
  };
  return { options: { logger, telemetry }, lines, counts, first };
}

const large: Executor = async function* () {
  yield artifact({ name: "large" }).text("x".repeat(5 * MIB));
  yield completed();
};

/** The frame of a message for a method. */
async function sent(method: "sendMessage" | "sendStreamingMessage") {
  const { input } = (await loadService(service)).method[method] ?? {};
  assert.ok(input);
  return framedMessage(toBinary(input, messageOf(input, text("hi"))), false);
}

/** Calls a method that answers with a large message, over HTTP/2 without encryption. */
async function called(
  t: TestContext,
  address: string,
  method: "SendMessage" | "SendStreamingMessage",
): Promise<ClientHttp2Stream> {
  const session = connectHttp2(`http://${address}`);
  session.on("error", () => undefined);
  t.onTestFinished(() => session.destroy());
  const headers = { ":method": "POST", ":path": PATH + method, "content-type": "application/grpc" };
  const stream = session.request({ ...headers, "a2a-version": "1.0", te: "trailers" });
  stream.on("error", () => undefined);
  stream.end(await sent(method === "SendMessage" ? "sendMessage" : "sendStreamingMessage"));
  return stream;
}

for (const method of ["SendMessage", "SendStreamingMessage"] as const) {
  test(`SEC-08: a cut of a reader over HTTP/2 is logged and counted, once [${method}]`, async (t) => {
    const { options, lines, counts, first } = reported();
    const { grpcAddress } = await serveGrpc(
      t,
      { card: plainCard, execute: large },
      { ...options, limits: { writeTime: 0.3 } },
    );
    const stream = await called(t, grpcAddress, method);
    await Promise.all([first, once(stream, "close")]);
    const [{ facts, words } = { facts: {}, words: "" }] = lines;
    assert.equal(words, "Closed a stream of HTTP/2 whose reader took nothing");
    assert.deepEqual([facts.address, facts.seconds], ["127.0.0.1", 0.3]);
    assert.ok((facts.unsent as number) > 0);
    assert.deepEqual([lines.length, counts.length], [1, 1]);
  });
}

test("SEC-08: a cut of a reader of gRPC-Web over HTTP/1.1 is logged and counted, once", async (t) => {
  const { options, lines, counts, first } = reported();
  const agent = { card: plainCard, execute: async () => reply("y".repeat(9 * MIB)) };
  const { port } = await serveGrpc(t, agent, {
    ...options,
    grpc: { web: true },
    trustProxy: true,
    limits: { writeTime: 0.3 },
  });
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  t.onTestFinished(() => void socket.destroy());
  const body = JSON.stringify(text("hi"));
  socket.write(
    `POST ${PATH}SendMessage HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.7\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await first;
  const [{ facts, words } = { facts: {}, words: "" }] = lines;
  assert.equal(words, "Closed a connection whose reader took nothing");
  assert.equal(facts.address, "192.0.2.7");
  assert.deepEqual([lines.length, counts.length], [1, 1]);
});

test("SEC-08: a slow reader of one large event of gRPC that takes something now and then is not cut off", async (t) => {
  const { options, lines } = reported();
  const { grpcAddress } = await serveGrpc(
    t,
    { card: plainCard, execute: large },
    { ...options, heartbeat: 0.1, limits: { writeTime: 0.8 } },
  );
  const stream = await called(t, grpcAddress, "SendStreamingMessage");
  const trailers = once(stream, "trailers");
  stream.setMaxListeners(0);
  let length = 0;
  // An eighth of a MiB each twentieth of a second: more than twice as long as a reader may take nothing.
  while (!stream.readableEnded && length < 5 * MIB) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (let taken = 0; taken < MIB / 8 && length < 5 * MIB; ) {
      const chunk = stream.read() as Buffer | null;
      if (chunk === null) await Promise.race([once(stream, "readable"), once(stream, "close")]);
      assert.notEqual(stream.rstCode, constants.NGHTTP2_CANCEL, `cut off after ${length} bytes`);
      taken += chunk?.length ?? 0;
      length += chunk?.length ?? 0;
    }
  }
  stream.resume();
  assert.deepEqual(lines, []);
  assert.equal((await trailers)[0]["grpc-status"], "0");
});

test("SEC-08: a connection of HTTP/2 that is no longer read at all is closed, with what waits for it", async (t) => {
  const { options, lines, first } = reported();
  const agent = { card: plainCard, execute: async () => reply("y".repeat(16 * MIB)) };
  const { grpcAddress } = await serveGrpc(t, agent, { ...options, limits: { writeTime: 0.3 } });
  const socket = await beginHttp2(t, Number(grpcAddress.split(":").at(-1)));
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x7fff0000);
  // The windows are so large that only the connection itself holds the answer back.
  const window = Buffer.concat([Buffer.from([0, 4]), size]);
  const body = await sent("sendMessage");
  socket.pause();
  const reset = once(socket, "error");
  socket.write(
    Buffer.concat([
      frame(FRAMES.settings, 0, 0, window),
      frame(FRAMES.windowUpdate, 0, 0, size),
      frame(FRAMES.headers, 4, 1, headersOf(`${PATH}SendMessage`)),
      frame(FRAMES.data, 1, 1, body),
    ]),
  );
  await first;
  assert.equal(lines.length, 1);
  // A closed connection resets what is written to it. One that is only stalled takes it.
  const beat = setInterval(() => socket.write(frame(FRAMES.ping, 0, 0, new Uint8Array(8))), 20);
  t.onTestFinished(() => clearInterval(beat));
  const [{ code }] = await reset;
  assert.match(code, /^(?:ECONNRESET|EPIPE)$/);
});

test("SEC-08: a reader is cut off unless its waiting bytes become fewer now and then, even if they never drain", () => {
  fakeTimers(["setInterval", "clearInterval"]);
  const cuts: unknown[] = [];
  const settings = { limits: { writeTime: 4 } };
  const server = { settings, reportCut: (...facts: unknown[]) => void cuts.push(facts) };
  const streams = new StalledStreams(server as never);
  const stream = Object.assign(new EventEmitter(), {
    ...{ destroyed: false, writableLength: 1000 },
    destroy() {
      stream.destroyed = true;
      stream.emit("close");
    },
  });
  streams.watch(stream as never, "192.0.2.1");
  for (let check = 0; check < 100; check += 1) {
    vi.advanceTimersByTime(1000);
    stream.writableLength += check % 3 === 0 ? -2 : 1;
  }
  assert.deepEqual(cuts, []);
  vi.advanceTimersByTime(6000);
  assert.deepEqual(cuts, [["192.0.2.1", stream.writableLength, false]]);
  assert.equal(vi.getTimerCount(), 0);
});

test("SEC-08: a connection of HTTP/2 is closed only when the reset of a stream does not leave for as long again", () => {
  fakeTimers(["setInterval", "clearInterval"]);
  const seen: string[] = [];
  const server = {
    settings: { limits: { writeTime: 4 } },
    reportCut: (...[, , isStream]: unknown[]) => void seen.push(`report ${isStream}`),
  };
  const streams = new StalledStreams(server as never);
  const socket = { off: () => socket, destroy: () => void seen.push("disconnect") };
  const stream = Object.assign(new EventEmitter(), {
    ...{ destroyed: false, writableLength: 1000, rstCode: 0, session: { destroyed: false, socket } },
    close: () => void seen.push("reset"),
  });
  streams.watch(stream as never, "192.0.2.1");
  vi.advanceTimersByTime(5000);
  assert.deepEqual(seen, ["report true", "reset"]);
  // The reset is sent after the bytes for other streams, and their reader may take this long.
  vi.advanceTimersByTime(3000);
  assert.deepEqual(seen, ["report true", "reset"]);
  vi.advanceTimersByTime(1000);
  assert.deepEqual(seen, ["report true", "reset", "disconnect"]);
  stream.emit("close");
  vi.advanceTimersByTime(1000);
  assert.equal(vi.getTimerCount(), 0);
});
