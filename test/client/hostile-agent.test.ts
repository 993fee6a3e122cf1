import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "vitest";
import { ClientError, type ConnectOptions, connect } from "../../src/client/index.js";
import { callableVersions } from "../../src/versions/client-codecs.js";
import { type Behaviour, clientAt, flood, head, hostileAgent } from "./hostile-agent.js";
import { cardOf, clientOf } from "./scripted.js";

const JSON_TYPE = "application/json";
const MIB = 1024 * 1024;
const KIB = "x".repeat(1024);
/** 100 MiB of spaces in 100 KiB. */
const bomb = gzipSync(Buffer.alloc(100 * MIB, " "));
const list = (unit: string, length: number) => `[${unit.repeat(length / unit.length)}0]`;
const packed = (body: Buffer, encodings: string) =>
  Buffer.concat([Buffer.from(head(JSON_TYPE, [`Content-Encoding: ${encodings}`])), body]);

/** What an agent answers with, whatever is asked, and what becomes of the call. */
const answers: readonly (readonly [name: string, code: string, Behaviour])[] = [
  [
    "a switch of protocols",
    "UNREACHABLE",
    (socket) =>
      void socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
  ],
  ["interim answers without end", "TIMEOUT", (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\n\r\n")],
  ["nothing at all", "TIMEOUT", () => undefined],
  [
    "headers without end",
    "UNREACHABLE",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      return flood(socket, `X-Long: ${KIB}\r\n`);
    },
  ],
  [
    "a header without end",
    "UNREACHABLE",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Long: ");
      return flood(socket, KIB);
    },
  ],
  [
    "a body without end",
    "RESPONSE_TOO_LARGE",
    (socket) => {
      socket.write(head(JSON_TYPE));
      return flood(socket, KIB.repeat(64));
    },
  ],
  [
    "a body that trickles",
    "TIMEOUT",
    (socket) => {
      socket.write(head(JSON_TYPE));
      return flood(socket, " ", 20);
    },
  ],
  [
    "a body that unpacks to a thousand times its size",
    "RESPONSE_TOO_LARGE",
    (socket) => void socket.end(packed(bomb, "gzip")),
  ],
  [
    "millions of objects",
    "RESPONSE_TOO_LARGE",
    (socket) => void socket.end(head(JSON_TYPE) + list("{},", 9 * MIB)),
  ],
  [
    "millions of numbers",
    "RESPONSE_TOO_LARGE",
    (socket) => void socket.end(head(JSON_TYPE) + list("0,", 9 * MIB)),
  ],
  [
    "objects within objects",
    "INVALID_RESPONSE",
    (socket) => void socket.end(`${head(JSON_TYPE)}${'{"a":'.repeat(1000)}1${"}".repeat(1000)}`),
  ],
];

for (const [name, code, behave] of answers) {
  test(`SEC-16: an agent that answers with ${name} is left with an error`, async (t) => {
    const { url, allClosed } = await hostileAgent(t, behave);
    const timeouts = code === "TIMEOUT" ? { connect: 0.1, total: 0.2 } : {};
    const client = await clientAt(url, { limits: { answer: 10 * MIB }, timeouts });
    const calls = [
      () => client.getTask({ id: "t" }),
      () => client.sendText("x"),
      () => client.stream("x").result(),
      () => client.stream("x", { timeout: timeouts.total ?? 60 }).result(),
      () => connect(url, { timeouts }),
    ];
    for (const call of calls) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof ClientError, String(error));
        assert.equal(error.code, code, String(error));
        return true;
      });
    }
    await allClosed();
  });
}

test("SEC-16: an agent that answers with a body that is packed many times is left with an error", async (t) => {
  const encodings = Array.from({ length: 50 }, () => "gzip").join(", ");
  // Less than the 64 KiB that undici buffers: an unread body of more ends the process on some versions of Node (undici issue 5360).
  const small = gzipSync(Buffer.alloc(30 * MIB, " "));
  const { url } = await hostileAgent(t, (socket) => void socket.end(packed(small, encodings)));
  const client = await clientAt(url, { timeouts: {} });
  // Node itself refuses it, and keeps the connection until its own time limit has passed.
  await assert.rejects(client.getTask({ id: "t" }), { code: "UNREACHABLE" });
  await assert.rejects(client.stream("x").result(), { code: "UNREACHABLE" });
});

test("the error for a redirect to a URL of another scheme names this URL", async () => {
  const headers = { Location: "app://login/start?x=1" };
  const { client } = await clientOf(() => new Response(null, { status: 302, headers }));
  await assert.rejects(client.getTask({ id: "t" }), {
    code: "REDIRECTED",
    message: / to app:\/\/login\/start\. /,
  });
});

const members = Array.from({ length: 300_000 }, (_, index) => `"a_b${index}":0`).join();

for (const version of callableVersions) {
  test(`SEC-16: objects of very many members are refused before they are read [${version}]`, async (t) => {
    const result = `{"id":"t","kind":"task","task":{"id":"t","status":{"state":"working"}},${members}}`;
    const answer = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
    const answering = await hostileAgent(t, (socket) => void socket.end(head(JSON_TYPE) + answer));
    const streaming = await hostileAgent(t, (socket) => {
      socket.end(`${head("text/event-stream")}data: ${answer}\n\n`);
    });
    const clientOfVersion = (url: string) => {
      const entry = { url, protocolBinding: "JSONRPC", protocolVersion: version };
      const card = cardOf({ supportedInterfaces: [entry] });
      return connect(card, {
        versions: [version] as ConnectOptions["versions"],
        retry: false,
        resume: false,
      });
    };
    const refused = { code: "RESPONSE_TOO_LARGE", message: /more than 250000 members/ };
    await assert.rejects((await clientOfVersion(answering.url)).getTask({ id: "t" }), refused);
    await assert.rejects((await clientOfVersion(streaming.url)).stream("x").result(), refused);
  });
}
