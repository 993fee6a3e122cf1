import assert from "node:assert/strict";
import { test } from "vitest";
import { createApp } from "../../src/server/index.js";
import { koaTest } from "../support/koa-test.js";
import { callText, json, readUntil, request, scripted, serveFor, version, write } from "./scripted-agent.js";

type Json = { [member: string]: unknown } & { error?: { code: number; status?: string; message: string } };

async function read(response: Response): Promise<Json> {
  assert.match(response.headers.get("content-type") ?? "", /^application\/(a2a\+)?json$/);
  return (await response.json()) as Json;
}

const rpc = (url: string, init: RequestInit = {}) =>
  fetch(url, { method: "POST", headers: json, body: callText("SendMessage"), ...init });
const rest = (url: string, path = "/tasks/t") => fetch(url + path, { headers: version });

test("REST-11, BIND-01: by default both bindings share the root", async (t) => {
  const { url } = await serveFor(t, scripted());
  for (const address of [url, `${url}/`, `${url}/?a=b`])
    assert.ok("result" in (await read(await rpc(address))));
  assert.equal((await read(await rest(url))).id, "scripted/t");
});

test("CARD-07, REST-11: bindings live where they are put, JSON-RPC at several paths", async (t) => {
  const { url } = await serveFor(t, scripted(), {
    paths: { jsonRpc: ["/", "/a2a/rpc"], httpJson: "/a2a/rest" },
  });
  for (const path of ["", "/", "/a2a/rpc", "/a2a/rpc/"])
    assert.ok("result" in (await read(await rpc(url + path))));
  assert.equal((await read(await rest(`${url}/a2a/rest`))).id, "scripted/t");
  assert.equal((await read(await rest(`${url}/a2a/rest`, "/acme/tasks/t"))).id, "scripted/t");
  for (const path of ["/tasks/t", "/a2a", "/a2a/restless/tasks/t", "/a2a/rpc/tasks", "/A2A/rpc"]) {
    const response = await rest(url, path);
    assert.equal(response.status, 404, path);
    assert.equal((await read(response)).error?.status, "NOT_FOUND");
  }
});

test("REST-06: the path reaches the binding as it was sent", async (t) => {
  const { url } = await serveFor(t, scripted(), { paths: { httpJson: "/a2a/rest" } });
  assert.equal(
    (await read(await rest(`${url}/a2a/rest`, "/tasks/a%2Fb%3A%20c%C3%A9"))).id,
    "scripted/a/b: cé",
  );
});

test("BIND-01: one binding alone answers, and the card says so", async (t) => {
  const onlyRest = await serveFor(t, scripted(), { bindings: ["HTTP+JSON"] });
  assert.equal((await read(await rest(onlyRest.url))).id, "scripted/t");
  assert.equal((await rpc(onlyRest.url)).status, 404);
  const onlyRpc = await serveFor(t, scripted(), { bindings: ["JSONRPC"] });
  assert.equal((await rest(onlyRpc.url)).status, 404);
  assert.ok("result" in (await read(await rpc(onlyRpc.url))));
});

test("RPC-18: a method other than POST gives 405 with Allow: POST, as a JSON-RPC error", async (t) => {
  const { url, port } = await serveFor(t, scripted());
  for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const response = await fetch(url, { method, headers: version });
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST"], method);
    assert.equal((await read(response)).error?.code, -32601);
  }
  const head = await readUntil(await write(port, request("HEAD /", { Connection: "close" })));
  assert.match(head, /^HTTP\/1\.1 405 [\s\S]*Allow: POST[\s\S]*\r\n\r\n$/);
});

test("REST-09: an unknown route gives 404, a wrong verb 405 with Allow, as HTTP+JSON errors", async (t) => {
  const { url } = await serveFor(t, scripted());
  const unknown = await rest(url, "/nothing/here/at/all");
  assert.deepEqual([unknown.status, (await read(unknown)).error?.status], [404, "NOT_FOUND"]);
  const wrong = await fetch(`${url}/message:send`, { headers: version });
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
  assert.equal((await read(wrong)).error?.status, "UNIMPLEMENTED");
});

test("REST-09, SEC-08: a path is read as far as 8,192 characters, and refused beyond them in the form of the binding", async (t) => {
  const { url } = await serveFor(t, { "/agent": scripted() }, { versions: ["1.0", "0.3"] });
  const path = (length: number) => `/tasks/${"x".repeat(length - "/tasks/".length)}`;
  const longest = await rest(`${url}/agent`, path(8192));
  assert.notEqual(longest.status, 413);
  const longer = await rest(`${url}/agent`, path(8193));
  const { error } = await read(longer);
  assert.deepEqual([longer.status, error?.status], [413, "RESOURCE_EXHAUSTED"]);
  assert.match(error?.message ?? "", /path has more than 8192 characters/);
  // What is no agent's is the application's.
  assert.equal((await rest(url, path(8193))).status, 404);
});

test("REST-09, RPC-09: no answer is a page or a stack trace, whatever the request line", async (t) => {
  const { port } = await serveFor(t, scripted(), {
    ...{ paths: { jsonRpc: "/rpc", httpJson: "/rest" }, versions: ["1.0"] },
  });
  const lines = [
    "GET /",
    "GET /%",
    "GET //",
    "GET /rest/%ff",
    "GET http://[x/",
    "POST *",
    "BREW /rest/tasks",
    "GET /..%2f",
  ];
  for (const line of lines) {
    const text = await readUntil(await write(port, request(line, { Connection: "close" })));
    if (text.startsWith("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")) continue;
    const [head = "", body = ""] = text.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 4\d\d /, line);
    assert.match(head, /Content-Type: application\/(a2a\+)?json/, line);
    assert.ok("error" in JSON.parse(body), line);
  }
});

test("requests for no agent go to the application; its errors and its silence do not become pages of ours", async (t) => {
  const app = createApp(scripted(), { paths: { jsonRpc: "/a2a", httpJson: "/a2a" } });
  app.use(async (ctx, next) => {
    if (ctx.path === "/mine") ctx.body = "mine";
    else if (ctx.path === "/missing") ctx.throw(404, "not mine");
    else await next();
  });
  const server = app.listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  assert.equal(await (await fetch(`${url}/mine`)).text(), "mine");
  assert.equal(await (await fetch(`${url}/missing`)).text(), "not mine");
  assert.equal((await read(await fetch(`${url}/other`))).error?.code, 404);
  assert.ok("result" in (await read(await rpc(`${url}/a2a`))));
});

test("RESTB-03: the media type of HTTP+JSON answers can be fixed, errors included", async (t) => {
  const { url } = await serveFor(t, scripted(), { mediaType: "application/json" });
  for (const path of ["/tasks/t", "/nothing", "/message:send"]) {
    assert.equal((await rest(url, path)).headers.get("content-type"), "application/json");
  }
});

test("VER-12: the version may be inferred when that is switched on", async (t) => {
  const unnamed = { "Content-Type": "application/json" };
  const strict = await serveFor(t, scripted());
  assert.equal((await read(await rpc(strict.url, { headers: unnamed }))).error?.code, -32009);
  const lenient = await serveFor(t, scripted(), { inferVersion: true });
  assert.ok("result" in (await read(await rpc(lenient.url, { headers: unnamed }))));
});

test("EXT-09: required extensions can be demanded on every operation", async (t) => {
  const agent = scripted(undefined, { capabilities: { extensions: [{ uri: "urn:x", required: true }] } });
  const lenient = await serveFor(t, agent);
  assert.equal((await rest(lenient.url)).status, 200);
  const strict = await serveFor(t, agent, { requireExtensionsOn: "all" });
  assert.equal((await rest(strict.url)).status, 400);
});

koaTest("/openapi.json describes the HTTP+JSON binding of this agent where it is", async (t) => {
  const { url } = await serveFor(t, scripted(), { paths: { httpJson: "/a2a/rest" } });
  for (let time = 0; time < 2; time += 1) {
    const document = await read(await fetch(`${url}/openapi.json`));
    assert.deepEqual(document.servers, [{ url: `${url}/a2a/rest` }]);
    assert.equal((document.info as { title: string }).title, "Rates");
    assert.ok(Object.keys(document.paths as object).includes("/message:send"));
  }
});

test("/healthz and /readyz say that the server lives and takes requests", async (t) => {
  const { url } = await serveFor(t, scripted());
  assert.deepEqual(await read(await fetch(`${url}/healthz`)), { status: "ok" });
  assert.deepEqual(await read(await fetch(`${url}/readyz`)), { status: "ready" });
});
