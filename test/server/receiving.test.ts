import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { constants, createGzip, gzipSync } from "node:zlib";
import { type TestContext, test } from "vitest";
import { reply } from "../../src/index.js";
import { bearerTokens, type Readings, type ServeOptions } from "../../src/server/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { gate } from "../support/both.js";
import { gauges } from "../support/gauges.js";
import { koaTest } from "../support/koa-test.js";
import { plainCard, serveFor, text } from "../support/peer.js";
import { json, readUntil, request, until, write } from "./scripted-agent.js";

const KIB = 1024;

/** A server that says how many bytes of requests it holds. */
async function served(t: TestContext, options: ServeOptions = {}, card: object = {}) {
  const { telemetry, read } = gauges();
  const server = await serveFor(
    t,
    { card: { ...plainCard, ...card }, execute: async ({ text }) => reply(text) },
    { telemetry, ...options },
  );
  const gauge = async (name: keyof Readings) => (await read())[name];
  const received = async (enough: (bytes: number) => boolean) => {
    while (!enough(await gauge("a2a.server.received")))
      await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const sockets: Socket[] = [];
  t.onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  /** Sends the head of a request and a part of its body. */
  const begin = async (path: string, sent: number, headers: Record<string, string> = {}) => {
    const length = { "Content-Length": String(500 * KIB) };
    const socket = await write(server.port, request(`POST ${path}`, { ...json, ...length, ...headers }));
    socket.on("error", () => undefined);
    sockets.push(socket);
    socket.write(" ".repeat(sent));
    return socket;
  };
  return { ...server, gauge, received, begin };
}

for (const path of ["/", "/message:send"]) {
  test(`SEC-08, SEC-09, ERR-20: bodies of one address that wait for more have a bound, small requests pass [${path}]`, async (t) => {
    const { begin, gauge, received, rpc, rest } = await served(t, {
      limits: { bodiesPerAddress: 1000 * KIB },
    });
    const waiting = [
      await begin(path, 300 * KIB),
      await begin(path, 300 * KIB),
      await begin(path, 300 * KIB),
    ];
    await received((bytes) => bytes === 900 * KIB);
    const refused = await begin(path, 300 * KIB);
    const answer = await readUntil(refused, (got) => got.endsWith("}"));
    assert.match(answer, /^HTTP\/1\.1 429 /);
    assert.match(answer, /\r\nRetry-After: 5\r\n/);
    assert.equal(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").error.message.includes("1024000 bytes"), true);
    for (const peer of [rpc, rest]) assert.ok((await peer.call("SendMessage", text("small"))).result);
    // When one has gone, another is read to its end.
    const [first, second, third] = waiting as [Socket, Socket, Socket];
    second.destroy();
    await received((bytes) => bytes === 600 * KIB);
    first.write(" ".repeat(200 * KIB));
    assert.match(await readUntil(first, (got) => got.endsWith("}")), /-32700|PARSE_ERROR/);
    assert.equal(await gauge("a2a.server.received"), 300 * KIB);
    third.destroy();
    await received((bytes) => bytes === 0);
    await begin(path, 400 * KIB);
    await received((bytes) => bytes === 400 * KIB);
  });
}

test("SEC-08, ERR-20: where all together hold too much, the address with the most gives way in the middle of its body", async (t) => {
  const limits = { bodies: 1000 * KIB, bodiesPerAddress: 900 * KIB };
  const { begin, received, rpc } = await served(t, { limits, trustProxy: true });
  const from = (address: string) => ({ "X-Forwarded-For": address });
  const [small, large] = [
    await begin("/", 100 * KIB, from("192.0.2.1")),
    await begin("/", 450 * KIB, from("192.0.2.1")),
  ] as const;
  const other = await begin("/", 400 * KIB, from("192.0.2.2"));
  await received((bytes) => bytes === 950 * KIB);
  await begin("/", 300 * KIB, from("192.0.2.3"));
  const answer = await readUntil(large, (got) => got.endsWith("}"));
  assert.match(answer, /^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 5\r\n/);
  await received((bytes) => bytes === 800 * KIB);
  for (const [socket, rest] of [
    [other, 100 * KIB],
    [small, 400 * KIB],
  ] as const) {
    socket.write(" ".repeat(rest));
    assert.match(await readUntil(socket, (got) => got.endsWith("}")), /-32700/);
  }
  assert.ok((await rpc.call("SendMessage", text("small"), from("192.0.2.4"))).result);
});

test("SEC-08: callers of one IPv6 network count as one, and so do those of a proxy that is not trusted", async (t) => {
  for (const [trustProxy, addresses] of [
    [true, ["2001:db8::1", "2001:db8::2"]],
    [false, ["192.0.2.1", "192.0.2.2"]],
  ] as const) {
    const { begin, received } = await served(t, { limits: { bodiesPerAddress: 500 * KIB }, trustProxy });
    await begin("/", 300 * KIB, { "X-Forwarded-For": addresses[0] });
    await received((bytes) => bytes > 0);
    const refused = await begin("/", 300 * KIB, { "X-Forwarded-For": addresses[1] });
    assert.match(await readUntil(refused, (got) => got.endsWith("}")), /^HTTP\/1\.1 429 /);
  }
});

test("SEC-08: a compressed body counts from its first byte, and by what it decompresses to", async (t) => {
  const { begin, received, gauge } = await served(t, { limits: { bodiesPerAddress: 1000 * KIB } });
  const zipped = gzipSync(Buffer.alloc(600 * KIB, " "));
  const headers = { "Content-Encoding": "gzip", "Content-Length": String(zipped.length) };
  const sockets = [await begin("/", 0, headers), await begin("/", 0, headers)];
  await received((bytes) => bytes === 2 * 256 * KIB);
  sockets[0]?.write(zipped.subarray(0, -1));
  const answer = await readUntil(sockets[0] as Socket, (got) => got.endsWith("}"));
  assert.match(answer, /^HTTP\/1\.1 429 /);
  await received((bytes) => bytes === 256 * KIB);
  sockets[1]?.destroy();
  await received((bytes) => bytes === 0);
  assert.equal(await gauge("a2a.server.received"), 0);
});

test("SEC-08: a compressed body gives way to others before it is complete", async (t) => {
  const { begin, received } = await served(t, {
    limits: { body: 100 * KIB, bodies: 600 * KIB },
    trustProxy: true,
  });
  const zipped = gzipSync(Buffer.alloc(90 * KIB, " "));
  const headers = { "Content-Encoding": "gzip", "Content-Length": "5000" };
  const large = await begin("/", 0, { ...headers, "X-Forwarded-For": "192.0.2.1" });
  large.write(zipped);
  await received((bytes) => bytes === (256 + 90) * KIB);
  await begin("/", 0, { ...headers, "X-Forwarded-For": "192.0.2.2" });
  assert.match(await readUntil(large, (got) => got.endsWith("}")), /^HTTP\/1\.1 503 /);
  await received((bytes) => bytes === 256 * KIB);
});

// koa-body keeps each piece for itself.
koaTest("SEC-08: a compressed body may not come in many small pieces", async (t) => {
  const { port } = await served(t, { limits: { body: 100 * KIB } });
  const gzip = createGzip();
  const sent: Buffer[] = [];
  gzip.on("data", (piece: Buffer) => sent.push(piece));
  for (let count = 0; count < 1200; count += 1) {
    gzip.write(" ");
    await new Promise<void>((resolve) => gzip.flush(constants.Z_SYNC_FLUSH, resolve));
  }
  const chunked = { ...json, "Content-Encoding": "gzip", "Transfer-Encoding": "chunked" };
  const small = await write(port, request("POST /", chunked));
  small.on("error", () => undefined);
  for (const piece of sent) {
    small.write(`${piece.length.toString(16)}\r\n`);
    small.write(Buffer.concat([piece, Buffer.from("\r\n")]));
  }
  const answer = await readUntil(small, (got) => got.endsWith("}"));
  assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*too many small pieces/);
});

test("SEC-08: what waits until its caller is known counts, however it came, and large objects for what they take", async (t) => {
  const { open, opened } = gate();
  const verifiers = { bearer: bearerTokens(() => opened.then(() => ({ id: "ann" }))) };
  const { rpc, rest, received, gauge } = await served(
    t,
    { auth: { verifiers }, limits: { bodiesPerAddress: 1000 * KIB } },
    cardOf({ bearer: schemes.bearer }, ["bearer"]),
  );
  const as = { Authorization: "Bearer token" };
  const objects = {
    message: { ...text("").message, parts: [{ data: Array.from({ length: 9000 }, () => ({})) }] },
  };
  const first = rpc.call("SendMessage", objects, as);
  // 27 KB of text.
  await received((bytes) => bytes > 500 * KIB);
  assert.equal((await rest.call("SendMessage", objects, as)).error, "RATE_LIMITED");
  const small = rest.call("SendMessage", text("small"), as);
  open();
  assert.ok((await first).result);
  assert.ok((await small).result);
  assert.equal(await gauge("a2a.server.received"), 0);
});

koaTest(
  "SEC-08: a body that was refused and does not end is cut, one that ends leaves its connection in use",
  async (t) => {
    const { port, begin } = await served(t, { limits: { body: 1000 } });
    const endless = await write(port, request("POST /", { ...json, "Transfer-Encoding": "chunked" }));
    endless.on("error", () => undefined);
    const chunk = `1000\r\n${" ".repeat(0x1000)}\r\n`;
    const timer = setInterval(() => endless.writable && endless.write(chunk), 20);
    t.onTestFinished(() => clearInterval(timer));
    let answer = "";
    endless.on("data", (got) => {
      answer += String(got);
    });
    // `once` of node:events would fail with the reset that may come before the close.
    await new Promise((resolve) => endless.once("close", resolve));
    assert.match(answer, /^HTTP\/1\.1 413 /);
    const ending = await begin("/", 500 * KIB);
    assert.match(await readUntil(ending, (got) => got.endsWith("}")), /^HTTP\/1\.1 413 /);
    ending.write(request("GET /healthz"));
    assert.match(await readUntil(ending, (got) => got.endsWith("}")), /^HTTP\/1\.1 200 /);
  },
);

koaTest("SEC-08: connections of one address have a bound, and room again when one is closed", async (t) => {
  const { port, gauge } = await served(t, { limits: { connectionsPerAddress: 2 } });
  const open = [await write(port, ""), await write(port, "")];
  await until(() => open.every(({ readyState }) => readyState === "open"));
  const refused = await write(port, request("GET /healthz"));
  refused.on("error", () => undefined);
  assert.match(await readUntil(refused), /^HTTP\/1\.1 429 [\s\S]*\r\nRetry-After: 5\r\n/);
  assert.equal(await gauge("a2a.server.connections"), 2);
  open[0]?.destroy();
  while ((await gauge("a2a.server.connections")) === 2) await new Promise((resolve) => setImmediate(resolve));
  const next = await write(port, request("GET /healthz", { Connection: "close" }));
  assert.match(await readUntil(next), /^HTTP\/1\.1 200 /);
  open[1]?.destroy();
});

koaTest(
  "SEC-08: connections have a bound in all, also those of a trusted proxy, which have no other",
  async (t) => {
    const limits = { connections: 3, connectionsPerAddress: 1 };
    const { port } = await served(t, { limits: { connections: 3 }, trustProxy: true });
    const open = [await write(port, ""), await write(port, ""), await write(port, "")];
    const refused = await write(port, request("GET /healthz"));
    refused.on("error", () => undefined);
    assert.match(await readUntil(refused), /^HTTP\/1\.1 503 /);
    for (const socket of open) socket.destroy();
    // One that is set holds for a proxy, too.
    const bounded = await served(t, { limits, trustProxy: true });
    const first = await write(bounded.port, "");
    const second = await write(bounded.port, request("GET /healthz"));
    second.on("error", () => undefined);
    assert.match(await readUntil(second), /^HTTP\/1\.1 429 /);
    first.destroy();
  },
);

test("SEC-08: a request has 256 header fields at most; one with more is refused, whatever Node has dropped of it", async (t) => {
  const { port } = await served(t);
  const list = { ...json, "Content-Length": "2" };
  const fields = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count - Object.keys(list).length - 1 }, (_, at) => [`X-${at}`, ""]),
    );
  for (const [count, status] of [
    [256, "200"],
    [257, "413"],
    // Newer versions of Node refuse these themselves.
    [258, "413|431"],
    [1000, "413|431"],
  ] as const) {
    const socket = await write(port, request("POST /", { ...list, ...fields(count) }, "{}"));
    const answer = await readUntil(socket, (got) => got.endsWith("}"));
    assert.match(answer, new RegExp(`^HTTP/1\\.1 (${status}) `), `${count}`);
    socket.destroy();
  }
});

test("RFC 9110 §8.4.1: the words in Content-Encoding have no case", async (t) => {
  const { port } = await served(t);
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: text("zipped") });
  for (const [encoding, body] of [
    ["GZIP", gzipSync(call)],
    [" Gzip ", gzipSync(call)],
    ["X-Gzip", gzipSync(call)],
    ["Identity", Buffer.from(call)],
    ["", Buffer.from(call)],
  ] as const) {
    const headers = { ...json, "Content-Encoding": encoding, "Content-Length": String(body.length) };
    const socket = await write(port, request("POST /", headers));
    socket.write(body);
    assert.match(await readUntil(socket, (got) => got.includes("}")), /"text":"zipped"/, encoding);
    socket.destroy();
  }
});
