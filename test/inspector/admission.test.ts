import assert from "node:assert/strict";
import { test } from "vitest";
import { freePort } from "../support/free-port.js";
import { inspectFor, type Raw, rawRequest, withToken } from "./local.js";

const refused = ({ status, text }: Raw) => [status, JSON.parse(text).code];

test("the page comes with headers that keep scripts of others, frames and guessed types away", async (t) => {
  const { origin } = await inspectFor(t);
  for (const path of ["/", "/index.html", "/assets/main.js"]) {
    const { status, headers } = await rawRequest(origin + path, {});
    assert.equal(status, 200, path);
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["x-frame-options"], "DENY");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
  const { headers } = await rawRequest(`${origin}/assets/main.js`, {});
  assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
  assert.equal((await rawRequest(`${origin}/`, { method: "POST" })).status, 405);
});

test("files that are not of the page are not served", async (t) => {
  const { origin } = await inspectFor(t);
  for (const path of [
    "/assets/notes.txt",
    "/../package.json",
    "/assets/..%2f..%2fetc/passwd",
    "/none.js",
    "/assets",
  ])
    assert.deepEqual(refused(await rawRequest(origin + path, {})), [404, "NOT_FOUND"], path);
});

test("a request under another name is refused: a page whose name was bound to this machine", async (t) => {
  const { origin, port, ...rest } = await inspectFor(t);
  for (const Host of ["evil.example", `evil.example:${port}`, `127.0.0.1.evil.example:${port}`, "10.0.0.1"])
    for (const path of ["/", "/api/session", "/callback?state=x"]) {
      const answer = await rawRequest(origin + path, { headers: withToken(rest, { Host }) });
      assert.deepEqual(refused(answer), [403, "FORBIDDEN"], `${Host} ${path}`);
    }
  for (const Host of [`localhost:${port}`, `127.0.0.1:${port}`]) {
    const { status } = await rawRequest(`${origin}/api/session`, { headers: withToken(rest, { Host }) });
    assert.equal(status, 200, Host);
  }
});

test("a page of another origin is refused, with the token as well", async (t) => {
  const { origin, ...rest } = await inspectFor(t);
  const ask = (headers: Record<string, string>) =>
    rawRequest(`${origin}/api/session`, { headers: withToken(rest, headers) });
  for (const Origin of [
    "https://evil.example",
    "null",
    origin.replace("127.0.0.1", "localhost"),
    `${origin}0`,
  ])
    assert.deepEqual(refused(await ask({ Origin })), [403, "FORBIDDEN"], Origin);
  for (const site of ["cross-site", "same-site"])
    assert.deepEqual(refused(await ask({ "Sec-Fetch-Site": site })), [403, "FORBIDDEN"], site);
  assert.equal((await ask({ Origin: origin, "Sec-Fetch-Site": "same-origin" })).status, 200);
});

test("a preflight of another origin is not granted", async (t) => {
  const { origin } = await inspectFor(t);
  const headers = {
    Origin: "https://evil.example",
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "inspector-token",
  };
  const answer = await rawRequest(`${origin}/api/fetch`, { method: "OPTIONS", headers });
  assert.equal(answer.status, 403);
  for (const name of Object.keys(answer.headers)) assert.doesNotMatch(name, /^access-control/);
});

test("a request without the token of this launch is refused, whatever it asks for", async (t) => {
  const { origin, token } = await inspectFor(t);
  const other = await inspectFor(t);
  assert.notEqual(token, other.token);
  for (const given of [undefined, "", "wrong", token.slice(1), other.token])
    for (const [method, path] of [
      ["GET", "session"],
      ["POST", "events"],
      ["POST", "fetch"],
      ["POST", "conformance"],
      ["GET", "webhooks"],
      ["POST", "webhooks"],
      ["POST", "nothing"],
    ] as const) {
      const headers = given === undefined ? {} : withToken({ token: given });
      const answer = await rawRequest(`${origin}/api/${path}`, { method, headers });
      assert.deepEqual(refused(answer), [403, "FORBIDDEN"], `${given} ${path}`);
    }
});

test("the token is in the fragment of the URL alone, which browsers send to no server", async (t) => {
  const { url, token, origin } = await inspectFor(t);
  assert.ok(token.length >= 43, "256 bits");
  assert.equal(url, `${origin}/#token=${token}`);
  const { text, headers } = await rawRequest(`${origin}/`, {});
  assert.ok(!text.includes(token) && !JSON.stringify(headers).includes(token));
});

test("a request needs an open page, and the body that is described", async (t) => {
  const inspected = await inspectFor(t);
  const ask = (method: string, path: string, body: string) =>
    rawRequest(`${inspected.origin}/api/${path}`, { method, headers: withToken(inspected), body });
  assert.deepEqual(refused(await ask("POST", "abort", '{"id":1}')), [410, "GONE"]);
  assert.deepEqual(refused(await ask("POST", "webhooks", "{")), [400, "INVALID_REQUEST"]);
  for (const body of [
    '{"nmae":"x"}',
    '{"fail":{"status":200,"times":1}}',
    '{"delay":61}',
    "[]",
    '{"token":1}',
  ])
    assert.deepEqual(refused(await ask("POST", "webhooks", body)), [400, "INVALID_REQUEST"], body);
  assert.deepEqual(refused(await ask("GET", "nothing", "")), [404, "NOT_FOUND"]);
  assert.deepEqual(refused(await ask("DELETE", "webhooks/none", "")), [404, "NOT_FOUND"]);
  const large = " ".repeat(5 * 1024 * 1024);
  assert.deepEqual(refused(await ask("POST", "webhooks", large)), [413, "TOO_LARGE"]);
});

test("a text that is no URL of an agent is refused before the inspector listens", async (t) => {
  const port = await freePort();
  await assert.rejects(inspectFor(t, { agent: "writer", port }), { name: "TypeError" });
  assert.equal((await inspectFor(t, { port })).port, port);
});

test("the session says what the page can do, and nothing that is secret", async (t) => {
  const certificate = { cert: "-----BEGIN CERTIFICATE-----", key: "-----BEGIN PRIVATE KEY-----" };
  const inspected = await inspectFor(t, { agent: "http://localhost:4000#Writer", certificate });
  const { text } = await rawRequest(`${inspected.origin}/api/session`, { headers: withToken(inspected) });
  const session = JSON.parse(text);
  assert.equal(session.mode, "local");
  assert.match(session.version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(session.target, { url: "http://localhost:4000/#Writer" });
  assert.equal(session.allowsPrivate, false);
  assert.equal(session.can.certificate, true);
  assert.equal(session.redirectUri, `${inspected.origin}/callback`);
  assert.doesNotMatch(text, /BEGIN/);
});
