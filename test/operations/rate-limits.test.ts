import assert from "node:assert/strict";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { test } from "vitest";
import { type Executor, reply } from "../../src/index.js";
import { apiKeys, createApp } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { notebook } from "../server/scripted-agent.js";
import { onBoth } from "../support/both.js";
import { plainCard, serveFor, text } from "../support/peer.js";

const echo: Executor = async ({ text }) => reply(text);

const keyed = {
  ...plainCard,
  securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
  securityRequirements: [{ schemes: { key: { list: [] } } }],
};
const auth = { verifiers: { key: apiKeys({ "key-of-ann": "ann", "key-of-bob": "bob" }) } };
const as = (name: string) => ({ "X-Key": `key-of-${name}` });

onBoth(
  "SEC-09, ERR-21: requests over the rate get 429 with Retry-After in the form of the binding, and have no effect",
  echo,
  async (peer) => {
    const request = text("hi");
    for (let sent = 0; sent < 2; sent += 1) assert.ok((await peer.call("SendMessage", request)).result);
    const { error, response, message } = await peer.call("SendMessage", request);
    assert.deepEqual([error, response.status, message], ["RATE_LIMITED", 429, "Too many requests"]);
    const wait = Number(response.headers.get("retry-after"));
    assert.ok(wait > 50 && wait <= 60, `Retry-After: ${wait}`);
    assert.equal((await peer.call("ListTasks", {})).error, "RATE_LIMITED");
  },
  {},
  { rateLimit: { requests: 2, seconds: 60 } },
);

test("SEC-09: every caller has a rate of its own, and wrong requests count as well", async (t) => {
  const server = await serveFor(
    t,
    { card: keyed, execute: echo },
    { auth, rateLimit: { requests: 2, seconds: 60 } },
  );
  assert.equal((await server.rpc.call("GetTask", { id: "none" }, as("ann"))).error, "TASK_NOT_FOUND");
  assert.equal((await server.rest.call("SendMessage", {}, as("ann"))).error, "INVALID_PARAMS");
  assert.equal((await server.rpc.call("SendMessage", text("hi"), as("ann"))).error, "RATE_LIMITED");
  assert.ok((await server.rest.call("SendMessage", text("hi"), as("bob"))).result);
});

test("SEC-13: an address that shows wrong credentials too often is refused before they are looked at", async (t) => {
  const notes = notebook();
  const server = await serveFor(
    t,
    { card: keyed, execute: echo },
    { auth, logger: notes.logger, rateLimit: { requests: 2, seconds: 60 } },
  );
  const wrong = { "X-Key": "guess" };
  for (const peer of [server.rpc, server.rest, server.rpc]) {
    assert.equal((await peer.call("SendMessage", text("hi"), wrong)).error, "UNAUTHENTICATED");
  }
  for (const peer of [server.rpc, server.rest]) {
    const { error, response } = await peer.call("SendMessage", text("hi"), as("ann"));
    assert.deepEqual([error, response.status], ["RATE_LIMITED", 429]);
    assert.ok(Number(response.headers.get("retry-after")) > 50);
  }
  assert.equal(
    notes.texts("warn").filter((line) => line.includes("too many requests that were refused")).length,
    1,
  );
});

test("SEC-09, SEC-13: what is refused before its caller is known counts at its address, which is then refused unread", async (t) => {
  const notes = notebook();
  const server = await serveFor(
    t,
    { card: keyed, execute: echo },
    { auth, logger: notes.logger, trustProxy: true, rateLimit: { requests: 3, seconds: 60 } },
  );
  const ask = async (address: string, path: string, body: string, more = {}) => {
    const headers = { "Content-Type": "application/json", "X-Forwarded-For": address, ...as("ann"), ...more };
    const response = await fetch(server.url + path, { method: "POST", headers, body });
    return response.status;
  };
  const refused: readonly (readonly [address: string, path: string, body: string, more?: object])[] = [
    ["192.0.2.1", "/", "{"],
    ["192.0.2.2", "/", JSON.stringify({ jsonrpc: "2.0", method: "Dance" })],
    ["192.0.2.3", "/message:send", "{"],
    ["192.0.2.4", `/${"/".repeat(8000)}`, "{}"],
    ["192.0.2.5", `/${"x".repeat(8192)}`, "{}"],
    ["192.0.2.6", "/message:send", "{}", { "Content-Type": "text/plain" }],
    ["192.0.2.7", "/message:send", "{}", { "A2A-Version": "9.9" }],
    ["192.0.2.8", "/message:send", "x".repeat(2000), { "Content-Encoding": "gzip" }],
  ];
  for (const [address, path, body, more] of refused) {
    const statuses: number[] = [];
    while (!statuses.includes(429)) statuses.push(await ask(address, path, body, more));
    assert.ok(statuses.length <= 6, `${path.slice(0, 20)}: ${statuses}`);
    // Whatever it sends now is not looked at, and others are.
    assert.equal(await ask(address, "/", JSON.stringify(text("hi"))), 429, path.slice(0, 20));
    assert.equal(await ask(address.replace("192.0.2", "203.0.113"), "/", "{"), 200, path.slice(0, 20));
  }
  assert.equal(notes.texts("warn").filter((line) => line.includes("too many")).length, refused.length);
});

test("SEC-09: a limiter of the application decides, with the keys of callers", async (t) => {
  const keys: string[] = [];
  const limiter = {
    consume: (key: string) => {
      keys.push(key);
      return key.endsWith("bob") ? Promise.reject({ msBeforeNext: 1500 }) : Promise.resolve();
    },
  };
  const server = await serveFor(t, { card: keyed, execute: echo }, { auth, rateLimit: limiter });
  assert.ok((await server.rpc.call("SendMessage", text("hi"), as("ann"))).result);
  const { error, response } = await server.rest.call("SendMessage", text("hi"), as("bob"));
  assert.deepEqual([error, response.headers.get("retry-after")], ["RATE_LIMITED", "2"]);
  await server.rpc.call("SendMessage", text("hi"));
  assert.deepEqual(keys, ["principal ann", "principal bob", "refused 127.0.0.1"]);
});

test("SEC-09: the limiters of rate-limiter-flexible fit as they are", async (t) => {
  const rateLimit = new RateLimiterMemory({ points: 1, duration: 60 });
  const server = await serveFor(t, { card: plainCard, execute: echo }, { rateLimit });
  assert.ok((await server.rpc.call("SendMessage", text("hi"))).result);
  assert.equal((await server.rest.call("SendMessage", text("hi"))).error, "RATE_LIMITED");
});

test("a limiter that fails lets requests in and is logged", async (t) => {
  const notes = notebook();
  const rateLimit = { consume: () => Promise.reject(new Error("no connection to the counter")) };
  const server = await serveFor(t, { card: plainCard, execute: echo }, { rateLimit, logger: notes.logger });
  assert.ok((await server.rpc.call("SendMessage", text("hi"))).result);
  assert.equal(notes.texts("error").length, 1);
});

test("SEC-09: behind a trusted proxy callers are told apart by what it has noted last", async (t) => {
  const store = new MemoryStore();
  const server = await serveFor(
    t,
    { card: plainCard, execute: echo },
    { store, trustProxy: true, rateLimit: { requests: 1, seconds: 60 } },
  );
  const from = (value: string) => ({ "X-Forwarded-For": value });
  const send = (headers: Record<string, string>) => server.rpc.call("SendMessage", text("hi"), headers);
  assert.ok((await send(from("198.51.100.7, 192.0.2.1"))).result);
  assert.equal((await send(from("198.51.100.8, 192.0.2.1"))).error, "RATE_LIMITED");
  assert.ok((await send(from("198.51.100.7, 192.0.2.2:4711"))).result);
  assert.ok((await send({ Forwarded: 'for=198.51.100.7, for="[2001:db8::1]:4711";proto=https' })).result);
  assert.equal((await send({ Forwarded: 'for="[2001:db8::2]"' })).error, "RATE_LIMITED");
  // What is no address is not believed: then it is the proxy itself.
  assert.ok((await send(from("unknown"))).result);
  assert.equal((await send({})).error, "RATE_LIMITED");
});

test("a rate that cannot be right is refused by name when the app is made", () => {
  const make = (rateLimit: { requests: number; seconds: number }) => () =>
    createApp({ card: plainCard, execute: echo }, { rateLimit });
  assert.throws(make({ requests: 1.5, seconds: 1 }), /rateLimit\.requests/);
  assert.throws(make({ requests: 1, seconds: 0 }), /rateLimit\.seconds/);
});
