import assert from "node:assert/strict";
import { generateKeyPair } from "jose";
import { type TestContext, test } from "vitest";
import { verifyCard } from "../../src/card/verify-card.js";
import { type AgentCard, isAgentCard } from "../../src/protocol/model.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { createApp } from "../../src/server/index.js";
import { defaultVersions } from "../../src/versions/codecs.js";
import { koaTest } from "../support/koa-test.js";
import { readUntil, request, ScriptedHandler, scripted, serveFor, write } from "./scripted-agent.js";

const PATH = "/.well-known/agent-card.json";

async function cardAt(url: string, headers: Record<string, string> = {}): Promise<AgentCard> {
  const response = await fetch(url, { headers });
  assert.equal(response.status, 200);
  return (await response.json()) as AgentCard;
}

/** Serves an app that knows no address of its own, and gives what a raw request for the card names as its URL. */
async function urlsBy(t: TestContext, options: object, headers: Record<string, string>): Promise<string[]> {
  const app = createApp(scripted(), options);
  const server = app.listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const socket = await write(port, request(`GET ${PATH}`, { ...headers, Connection: "close" }));
  const text = await readUntil(socket);
  const card = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as AgentCard;
  return [...new Set(card.supportedInterfaces.map(({ url }) => url.replace(String(port), "PORT")))];
}

test("DISC-01, DISC-02, DISC-03, CARD-05: the card is a valid AgentCard that lists what is served, as JSON", async (t) => {
  const { url } = await serveFor(t, scripted());
  const response = await fetch(url + PATH, { headers: { "A2A-Version": protocolVersion } });
  assert.equal(response.headers.get("content-type"), "application/json");
  const card = (await response.json()) as AgentCard;
  assert.equal(isAgentCard(card), true);
  assert.deepEqual(
    card.supportedInterfaces,
    defaultVersions.flatMap((version) => [
      { url, protocolBinding: "JSONRPC", protocolVersion: version },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: version },
    ]),
  );
});

test("CARD-06: bindings and paths are listed as configured, the preferred one first", async (t) => {
  const { url } = await serveFor(t, scripted(), {
    bindings: ["HTTP+JSON", "JSONRPC"],
    paths: { jsonRpc: ["/a2a/rpc", "/"], httpJson: "/a2a/rest" },
    versions: ["1.0"],
  });
  const { supportedInterfaces } = await cardAt(url + PATH);
  assert.deepEqual(
    supportedInterfaces.map((entry) => [entry.protocolBinding, entry.url]),
    [
      ["HTTP+JSON", `${url}/a2a/rest`],
      ["JSONRPC", `${url}/a2a/rpc`],
    ],
  );
});

test("DISC-07, DISC-08, DISC-09, DISC-11: the card has a lifetime, validators and Vary", async (t) => {
  const { url } = await serveFor(t, scripted(), { cardMaxAge: 60 });
  const { headers } = await fetch(url + PATH);
  assert.equal(headers.get("cache-control"), "public, max-age=60");
  assert.match(headers.get("etag") ?? "", /^"[\w-]{43}"$/);
  assert.equal(new Date(headers.get("last-modified") ?? "").toUTCString(), headers.get("last-modified"));
  assert.equal(headers.get("vary"), "A2A-Version");
});

test("DISC-08: the tag follows the content", async (t) => {
  const local = async (name: string) => {
    const server = await serveFor(t, scripted(new ScriptedHandler(), { name }), {
      publicUrl: "https://a.example",
    });
    return (await fetch(`http://127.0.0.1:${server.port}${PATH}`)).headers.get("etag");
  };
  assert.equal(await local("A"), await local("A"));
  assert.notEqual(await local("A"), await local("B"));
});

test("DISC-10: a conditional request that matches gets 304 with the same validators and no body", async (t) => {
  const { url } = await serveFor(t, scripted());
  const { headers } = await fetch(url + PATH);
  const etag = headers.get("etag") ?? "";
  const modified = headers.get("last-modified") ?? "";
  const ask = (conditions: Record<string, string>, method = "GET") =>
    fetch(url + PATH, { method, headers: conditions });
  const matching: Record<string, string>[] = [
    { "If-None-Match": etag },
    { "If-None-Match": `"other", W/${etag}` },
    { "If-None-Match": "*" },
    { "If-Modified-Since": modified },
    { "If-None-Match": etag, "If-Modified-Since": new Date(0).toUTCString() },
  ];
  for (const conditions of matching) {
    const response = await ask(conditions);
    assert.equal(response.status, 304, JSON.stringify(conditions));
    for (const name of ["etag", "last-modified", "cache-control", "vary", "access-control-allow-origin"]) {
      assert.equal(response.headers.get(name), headers.get(name), name);
    }
    assert.equal(await response.text(), "");
  }
  assert.equal((await ask({ "If-None-Match": etag }, "HEAD")).status, 304);
  const changed: Record<string, string>[] = [
    { "If-None-Match": '"other"' },
    { "If-None-Match": '"other"', "If-Modified-Since": modified },
    { "If-Modified-Since": new Date(0).toUTCString() },
    { "If-Modified-Since": "yesterday" },
  ];
  for (const conditions of changed)
    assert.equal((await ask(conditions)).status, 200, JSON.stringify(conditions));
});

test("DISC-01: HEAD has the headers of GET and no body; other verbs get 405 with Allow", async (t) => {
  const { url } = await serveFor(t, scripted());
  const get = await fetch(url + PATH);
  const head = await fetch(url + PATH, { method: "HEAD" });
  for (const name of ["etag", "content-type", "cache-control", "content-length"]) {
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  }
  assert.equal(await head.text(), "");
  const post = await fetch(url + PATH, { method: "POST", body: "{}" });
  assert.equal(post.status, 405);
  assert.equal(post.headers.get("allow"), "GET, HEAD");
  const { error } = (await post.json()) as { error: { code: number; status: string } };
  assert.deepEqual([error.code, error.status], [405, "UNIMPLEMENTED"]);
});

test("VER-16: the card is given to callers of any version", async (t) => {
  const { url } = await serveFor(t, scripted());
  for (const named of ["1.0", "0.3", "9.9", "nonsense"]) {
    assert.equal((await cardAt(url + PATH, { "A2A-Version": named })).name, "Rates");
  }
});

test("AUTHN-01: pages of any origin may read the card, after a preflight where the browser wants one", async (t) => {
  const { url } = await serveFor(t, scripted());
  const origin = { Origin: "https://page.example" };
  const get = await fetch(url + PATH, { headers: origin });
  assert.equal(get.headers.get("access-control-allow-origin"), "*");
  assert.match(get.headers.get("access-control-expose-headers") ?? "", /ETag/);
  const asked = {
    ...origin,
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "a2a-version",
  };
  const preflight = await fetch(url + PATH, { method: "OPTIONS", headers: asked });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.equal(preflight.headers.get("access-control-allow-methods"), "GET, HEAD");
  assert.equal(preflight.headers.get("access-control-allow-headers"), "a2a-version");
});

test("CARD-09: a public URL goes before everything that a request says", async (t) => {
  const options = { publicUrl: "https://a.example/agents/", trustProxy: true };
  assert.deepEqual(await urlsBy(t, options, { Host: "b.example", "X-Forwarded-Host": "c.example" }), [
    "https://a.example/agents",
  ]);
});

const reached: [string, object, Record<string, string>, string][] = [
  ["Host tells an app where it is", {}, { Host: "b.example:8080" }, "http://b.example:8080"],
  ["an IPv6 Host too", {}, { Host: "[::1]:99" }, "http://[::1]:99"],
  [
    "headers of a proxy do not count by default",
    {},
    { Host: "b.example", "X-Forwarded-Host": "c.example" },
    "http://b.example",
  ],
  ["a Host that is none is not repeated", {}, { Host: 'b.example"><script>' }, "http://127.0.0.1:PORT"],
  [
    "a trusted proxy tells scheme, host and prefix",
    { trustProxy: true },
    {
      "X-Forwarded-Proto": "https, http",
      "X-Forwarded-Host": "c.example, d.example",
      "X-Forwarded-Prefix": "/agents/",
    },
    "https://c.example/agents",
  ],
  [
    "the standard header goes before the others",
    { trustProxy: true },
    { Forwarded: 'for=1.2.3.4;Proto=https;host="c.example:8443", for=x', "X-Forwarded-Host": "d.example" },
    "https://c.example:8443",
  ],
  [
    "what a trusted proxy passes on is still looked at",
    { trustProxy: true },
    {
      Host: "b.example",
      "X-Forwarded-Proto": "javascript",
      "X-Forwarded-Host": "a b",
      "X-Forwarded-Prefix": '/"',
    },
    "http://b.example",
  ],
];
for (const [title, options, headers, url] of reached) {
  test(`CARD-05, CARD-09: ${title}`, async (t) => assert.deepEqual(await urlsBy(t, options, headers), [url]));
}

koaTest("CARD-09: listening on all addresses, the server takes the URL from each request", async (t) => {
  const { port, url } = await serveFor(t, scripted(), { host: "0.0.0.0" });
  assert.equal(url, `http://localhost:${port}`);
  const { supportedInterfaces } = await cardAt(`http://127.0.0.1:${port}${PATH}`);
  assert.equal(supportedInterfaces[0]?.url, `http://127.0.0.1:${port}`);
});

test("a caller who makes up hosts gets cards for them, always the right one", async (t) => {
  const urls = new Set<string>();
  const { port } = await serveFor(t, scripted(), { host: "0.0.0.0" });
  for (let host = 0; host < 40; host += 1) {
    const socket = await write(port, request(`GET ${PATH}`, { Host: `h${host % 20}`, Connection: "close" }));
    urls.add(/"url":"([^"]+)"/.exec(await readUntil(socket))?.[1] ?? "");
  }
  assert.equal(urls.size, 20);
});

test("SIGN-01, SIGN-21: the card is signed as it is served, by every key", async (t) => {
  const [old, next] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("EdDSA")]);
  const { url } = await serveFor(t, scripted(), {
    cardKeys: [
      { key: old.privateKey, kid: "old", alg: "ES256" },
      { key: next.privateKey, kid: "next", alg: "EdDSA" },
    ],
  });
  const response = await fetch(url + PATH, { headers: { "A2A-Version": protocolVersion } });
  const card = (await response.json()) as AgentCard;
  assert.equal(isAgentCard(card), true);
  for (const [kid, key] of [
    ["old", old.publicKey],
    ["next", next.publicKey],
  ] as const) {
    const verified = await verifyCard(card, { keys: [{ kid, key }] });
    assert.equal(verified.form, "received");
    assert.deepEqual(verified.card.supportedInterfaces, card.supportedInterfaces);
  }
  await assert.rejects(
    verifyCard({ ...card, version: "0.1.1" }, { keys: [{ kid: "old", key: old.publicKey }] }),
  );
});

test("SIGN-08: nothing is signed for an address that the caller makes up", async () => {
  const { privateKey } = await generateKeyPair("ES256");
  const cardKeys = [{ key: privateKey, kid: "k", alg: "ES256" }];
  assert.throws(() => createApp(scripted(), { cardKeys }), /cardKeys: set publicUrl/);
  assert.throws(() => createApp(scripted(), { cardKeys, trustProxy: true }), /cardKeys: set publicUrl/);
  assert.doesNotThrow(() => createApp(scripted(), { cardKeys, publicUrl: "https://a.example" }));
});

test("a key that cannot sign keeps the server from starting", async () => {
  const { publicKey } = await generateKeyPair("ES256");
  const { serve } = await import("../../src/server/index.js");
  await assert.rejects(
    serve(scripted(), { cardKeys: [{ key: publicKey, kid: "k", alg: "ES256" }] }),
    TypeError,
  );
});
