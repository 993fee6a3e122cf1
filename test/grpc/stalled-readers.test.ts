import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { toBinary } from "@bufbuild/protobuf";
import { type TestContext, test } from "vitest";
import { loadService, messageOf } from "../../src/grpc/service.js";
import { reply } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { certify } from "../auth/certificates.js";
import { service } from "../support/grpc-peer.js";
import { framedMessage, PATH } from "../support/http2-frames.js";
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
