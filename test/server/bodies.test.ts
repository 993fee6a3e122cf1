import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent as Connections, request as httpRequest, type IncomingMessage } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import Koa from "koa";
import { test } from "vitest";
import { createApp } from "../../src/server/index.js";
import { readsBrotli } from "../support/hosts.js";
import { koaTest } from "../support/koa-test.js";
import { callText, json, readUntil, request, scripted, serveFor, write } from "./scripted-agent.js";

const MIB = 1024 * 1024;

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body: Buffer | string;
  readonly chunked?: boolean;
  readonly agent?: Connections;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: {
    error: { code: number; message: string; data?: { reason: string }[]; details?: { reason: string }[] };
  };
}

/** Sends a body as it is; Node's own client, since `fetch` wants to decide about lengths and encodings itself. */
async function send(
  port: number,
  { path = "/", method = "POST", headers = json, body, chunked, agent }: Sent,
) {
  const length = chunked ? { "Transfer-Encoding": "chunked" } : { "Content-Length": Buffer.byteLength(body) };
  const req = httpRequest({
    port,
    host: "127.0.0.1",
    path,
    method,
    headers: { ...headers, ...length },
    ...(agent && { agent }),
  });
  // The server may answer before it has got everything, and what was not sent then fails.
  req.on("error", () => undefined);
  req.end(body);
  const [response] = (await once(req, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) } as Answer;
}

const rpc = (port: number, sent: Sent) => send(port, sent);
const rest = (port: number, sent: Sent) => send(port, { path: "/message:send", ...sent });

function reasonOf({ body: { error } }: Answer): string | undefined {
  return (error.data ?? error.details)?.[0]?.reason;
}

const restText = (text = "hi") =>
  JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text }] } });

test("SEC-08: a text of 1 MiB passes by default, also when it comes in chunks", async (t) => {
  const { port } = await serveFor(t, scripted());
  const text = "x".repeat(MIB);
  for (const chunked of [false, true]) {
    const answer = await rpc(port, { body: callText("SendMessage", text), chunked });
    assert.equal(answer.status, 200);
    assert.equal(JSON.stringify(answer.body).includes(text), true);
    assert.equal((await rest(port, { body: restText(text), chunked })).status, 200);
  }
});

test("SEC-08, ERR-22: 64 MiB are refused by default with 413 in the form of the binding", async (t) => {
  const { port } = await serveFor(t, scripted());
  const body = Buffer.alloc(64 * MIB, " ");
  const byRpc = await rpc(port, { body });
  assert.equal(byRpc.status, 413);
  assert.equal(byRpc.body.error.code, -32600);
  assert.equal(reasonOf(byRpc), "REQUEST_TOO_LARGE");
  const byRest = await rest(port, { body });
  assert.equal(byRest.status, 413);
  assert.deepEqual([byRest.body.error.code, reasonOf(byRest)], [413, "REQUEST_TOO_LARGE"]);
});

test("SEC-08: the limit counts bytes, with and without an announced length, and after decompression", async (t) => {
  const { port } = await serveFor(t, scripted(), { limits: { body: 1000 } });
  const sized = (bytes: number) =>
    callText("SendMessage", "x".repeat(bytes - callText("SendMessage", "").length));
  const gzip = { ...json, "Content-Encoding": "gzip" };
  for (const chunked of [false, true]) {
    assert.equal((await rpc(port, { body: sized(1000), chunked })).status, 200);
    assert.equal((await rpc(port, { body: sized(1001), chunked })).status, 413);
    assert.equal((await rpc(port, { body: gzipSync(sized(1000)), headers: gzip, chunked })).status, 200);
    const bomb = gzipSync(Buffer.alloc(20 * MIB));
    assert.equal((await rpc(port, { body: bomb, headers: gzip, chunked })).status, 413);
  }
  const wide = callText("SendMessage", "€".repeat(400));
  assert.equal((await rpc(port, { body: wide })).status, 413);
});

test("SEC-08: after a refused body the connection serves the next request", async (t) => {
  const { port } = await serveFor(t, scripted(), { limits: { body: 1000 } });
  const agent = new Connections({ keepAlive: true, maxSockets: 1 });
  t.onTestFinished(() => agent.destroy());
  const gzip = { ...json, "Content-Encoding": "gzip" };
  const refused: Sent[] = [
    { body: Buffer.alloc(3 * MIB, " "), chunked: true },
    { body: Buffer.alloc(3 * MIB, " ") },
    { body: gzipSync(Buffer.alloc(3 * MIB)), headers: gzip },
    { body: Buffer.concat([gzipSync("{}"), Buffer.alloc(3 * MIB, "junk")]), headers: gzip, chunked: true },
    { body: Buffer.alloc(3 * MIB, " "), headers: { ...json, "Content-Type": "text/html" } },
  ];
  for (const sent of refused) {
    assert.notEqual((await rpc(port, { ...sent, agent })).body.error, undefined);
    assert.equal((await rpc(port, { body: callText("SendMessage"), agent })).status, 200);
  }
});

const encodings: [string, (text: string) => Buffer][] = [
  ["gzip", (text) => gzipSync(text)],
  ["deflate", (text) => deflateSync(text)],
  ["br", (text) => brotliCompressSync(text)],
  ["identity", (text) => Buffer.from(text)],
];
for (const [encoding, encode] of encodings) {
  test.skipIf(encoding === "br" && !readsBrotli)(`a body in ${encoding} is read`, async (t) => {
    const { port } = await serveFor(t, scripted());
    const headers = { ...json, "Content-Encoding": encoding };
    assert.equal((await rpc(port, { body: encode(callText("SendMessage", "é")), headers })).status, 200);
  });
}

test("RPC-05: a body that does not decompress is no JSON: -32700 with 200, or HTTP 400", async (t) => {
  const { port } = await serveFor(t, scripted());
  const broken: (readonly [string, Buffer])[] = [
    ["gzip", Buffer.from("not gzip at all")],
    ["gzip", gzipSync(callText("SendMessage")).subarray(0, 40)],
    ...(readsBrotli ? ([["br", Buffer.from([255, 255, 255, 255])]] as const) : []),
  ];
  for (const [encoding, body] of broken) {
    const headers = { ...json, "Content-Encoding": encoding };
    const byRpc = await rpc(port, { body, headers });
    assert.deepEqual([byRpc.status, byRpc.body.error.code], [200, -32700]);
    const byRest = await rest(port, { body, headers });
    assert.deepEqual([byRest.status, reasonOf(byRest)], [400, "PARSE_ERROR"]);
  }
});

test("an encoding that nobody knows is refused as a media type is", async (t) => {
  const { port } = await serveFor(t, scripted());
  const headers = { ...json, "Content-Encoding": "zstd" };
  assert.equal(reasonOf(await rpc(port, { body: "{}", headers })), "CONTENT_TYPE_NOT_SUPPORTED");
  assert.equal((await rest(port, { body: "{}", headers })).status, 400);
});

test("RPC-17, RESTB-02, RESTB-05: JSON media types are read, with parameters or without any type", async (t) => {
  const { port } = await serveFor(t, scripted());
  const { "Content-Type": _, ...untyped } = json;
  const types = ["application/json; charset=utf-8", "Application/A2A+JSON", "application/a2a+json;x=1"];
  for (const headers of [untyped, ...types.map((type) => ({ ...json, "Content-Type": type }))]) {
    assert.equal((await rpc(port, { body: callText("SendMessage"), headers })).status, 200);
    assert.equal((await rest(port, { body: restText(), headers })).status, 200);
  }
});

test("RPC-17, RESTB-04: other media types are refused with 400, whatever is in them", async (t) => {
  const { port } = await serveFor(t, scripted());
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "nonsense",
  ]) {
    const headers = { ...json, "Content-Type": type };
    const byRpc = await rpc(port, { body: callText("SendMessage"), headers });
    assert.deepEqual([byRpc.status, byRpc.body.error.code], [400, -32005]);
    const byRest = await rest(port, { body: restText(), headers });
    assert.deepEqual([byRest.status, reasonOf(byRest)], [400, "CONTENT_TYPE_NOT_SUPPORTED"]);
  }
});

test("RPC-05: an empty body is no JSON", async (t) => {
  const { port } = await serveFor(t, scripted());
  for (const chunked of [false, true])
    assert.equal((await rpc(port, { body: "", chunked })).body.error.code, -32700);
});

test("RPC-18: a wrong verb is refused as such, however large its body is", async (t) => {
  const { port } = await serveFor(t, scripted(), { limits: { body: 10 } });
  const answer = await rpc(port, { method: "PUT", body: callText("SendMessage") });
  assert.deepEqual([answer.status, answer.headers.allow], [405, "POST"]);
});

koaTest("SEC-08: headers over the limit are refused before anything else", async (t) => {
  const { port } = await serveFor(t, scripted(), { limits: { headers: 2000 } });
  const socket = await write(port, request("GET /healthz", { "X-Long": "x".repeat(3000) }));
  assert.match(await readUntil(socket), /^HTTP\/1\.1 431 /);
});

test("STR-04: a request that is cut off in the middle of its body leaves nothing behind", async (t) => {
  const server = await serveFor(t, scripted());
  const announced = { ...json, "Content-Length": "1000" };
  const zipped = { ...announced, "Content-Encoding": "gzip" };
  for (const headers of [announced, zipped]) {
    const head = request("POST /", { ...headers, Expect: "100-continue" });
    const socket = await write(server.port, head);
    assert.match(await readUntil(socket, (text) => text.includes("\r\n\r\n")), /^HTTP\/1\.1 100 /);
    socket.write(gzipSync("{}").subarray(0, 5));
    socket.destroy();
  }
  // Nothing is being answered any more, or this would wait for its whole grace.
  await server.close(1000);
});

test("a body parser in front of the app may have read the body already", async (t) => {
  const app = createApp(scripted());
  const outer = new Koa();
  outer.use(async (ctx, next) => {
    let text = "";
    for await (const chunk of ctx.req) text += String(chunk);
    const body = ctx.get("X-Parsed") ? JSON.parse(text) : text;
    if (!ctx.get("X-Forgotten")) (ctx.request as { body?: unknown }).body = body;
    await next();
  });
  for (const middleware of app.middleware) outer.use(middleware);
  const server = outer.listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  for (const headers of [json, { ...json, "X-Parsed": "yes" }]) {
    const { status, body } = await rpc(port, { body: callText("SendMessage", "read before"), headers });
    assert.equal(status, 200);
    assert.match(JSON.stringify(body), /read before/);
  }
  // One that keeps it for itself is a mistake of the operator: it is logged, and the caller does not wait for the body.
  const forgotten = { ...json, "X-Forgotten": "yes" };
  const refused = await rpc(port, { body: callText("SendMessage", "read before"), headers: forgotten });
  assert.equal(refused.body.error.code, -32603);
});
