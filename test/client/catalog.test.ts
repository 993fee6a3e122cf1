import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "vitest";
import { connect } from "../../src/client/index.js";
import { completed, defineAgent } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { plainCard } from "../support/peer.js";
import { cardOf } from "./scripted.js";

const CARD = "application/a2a-agent-card+json";
const CATALOG = "application/ai-catalog+json";
/** Instead of a document: an event stream that does not end. */
const EVENTS = Symbol("events");
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A host that answers with documents by path, a text being where it redirects to, a number a status, and what it was asked. */
async function host(documents: (url: string) => Record<string, unknown>) {
  const asked: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request);
    const found = documents(url)[request.url ?? ""] ?? 404;
    if (found === EVENTS) {
      response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
      return;
    }
    const status = typeof found === "number" ? found : typeof found === "string" ? 302 : 200;
    const location = typeof found === "string" ? { Location: found } : {};
    response.writeHead(status, { "Content-Type": "application/json", ...location });
    response.end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => server.close() });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

/** A card that names this host as its interface. */
const cardOn = (self: string, name: string): object => ({
  ...cardOf({ name }),
  supportedInterfaces: [{ url: self, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
});

const entry = (identifier: string, rest: object) => ({
  identifier,
  type: CARD,
  displayName: identifier,
  ...rest,
});

test("DISC-04: catalogs nest, cards may be in them, and entries of other types are left out", async () => {
  const agent = defineAgent({
    card: { ...plainCard, name: "Remote" },
    async *execute() {
      yield completed();
    },
  });
  const server = await serve(agent);
  open.push(server);
  const remote = (await (await fetch(`${server.url}/.well-known/agent-card.json`)).json()) as object;
  const { url, asked } = await host((self) => ({
    "/.well-known/ai-catalog.json": {
      specVersion: "1.0",
      entries: [
        entry("Tool", { type: "application/mcp-server+json", url: "/tool.json" }),
        entry("More", { type: CATALOG, url: "/more.json" }),
        entry("Itself", { type: CATALOG, url: `${self}/.well-known/ai-catalog.json` }),
        entry("Broken", { url: "file:///etc/passwd" }),
        "no entry",
      ],
    },
    "/more.json": {
      entries: [
        entry("Inline", { data: { ...remote, name: "Inline" } }),
        entry("Remote", { url: server.url }),
      ],
    },
  }));
  assert.equal((await connect(url, { agent: "inline" })).card.name, "Inline");
  const before = asked.length;
  assert.equal((await connect(url, { agent: "Remote" })).card.name, "Remote");
  assert.deepEqual(
    asked.slice(before).map((request) => request.url),
    ["/.well-known/ai-catalog.json", "/more.json"],
  );
  for (const agent of ["Tool", "Broken"])
    await assert.rejects(connect(url, { agent }), { message: /has no agent named/ });
});

test("SEC-01: headers and credentials of the caller do not follow a catalog to another origin", async () => {
  const elsewhere = await host(() => ({
    "/card.json": {
      ...plainCard,
      version: "1",
      supportedInterfaces: [],
      capabilities: {},
      defaultInputModes: [],
      defaultOutputModes: [],
    },
  }));
  const { url, asked } = await host(() => ({
    "/.well-known/ai-catalog.json": { entries: [entry("Far", { url: `${elsewhere.url}/card.json` })] },
  }));
  await assert.rejects(connect(url, { agent: "Far", headers: { "X-Secret": "s" } }));
  assert.equal(asked[0]?.headers["x-secret"], "s");
  assert.equal(elsewhere.asked.length > 0, true);
  for (const request of elsewhere.asked) assert.equal(request.headers["x-secret"], undefined);
});

test("DISC-04: two agents of one name are told apart by their identifiers, and what is no catalog is refused", async () => {
  const { url } = await host(() => ({
    "/.well-known/ai-catalog.json": {
      entries: [
        { identifier: "urn:a", type: CARD, displayName: "Same", url: "/a.json" },
        { identifier: "urn:b", type: CARD, displayName: "same", url: "/b.json" },
      ],
    },
  }));
  await assert.rejects(connect(url, { agent: "Same" }), {
    message: /has several agents named "Same"; it has urn:a, urn:b/,
  });
  const none = await host(() => ({ "/.well-known/ai-catalog.json": [1] }));
  await assert.rejects(connect(none.url, { agent: "x" }), {
    code: "INVALID_RESPONSE",
    message: /is not an AI catalog/,
  });
});

test("DISC-04: an agent that a catalog and one to which it refers list with the same card is one agent", async () => {
  const { url } = await host((self) => ({
    "/.well-known/ai-catalog.json": {
      entries: [entry("Same", { url: "/a.json" }), entry("More", { type: CATALOG, url: "/more.json" })],
    },
    "/more.json": { entries: [entry("Same", { url: `${self}/a.json` })] },
    "/a.json": cardOn(self, "Same"),
  }));
  assert.equal((await connect(url, { agent: "Same" })).card.name, "Same");
});

test("DISC-04: a catalog is read once, whichever of its URLs other catalogs refer to", async () => {
  const { url, asked } = await host((self) => ({
    "/.well-known/ai-catalog.json": "/root.json",
    "/alias.json": "/root.json",
    "/root.json": {
      entries: [
        entry("Inline", { data: cardOn(self, "Inline") }),
        entry("Nested", {
          type: CATALOG,
          data: { entries: [entry("Deep", { data: cardOn(self, "Deep") })] },
        }),
        entry("More", { type: CATALOG, url: "/more.json" }),
      ],
    },
    "/more.json": {
      entries: [
        entry("Root", { type: CATALOG, url: "/root.json" }),
        entry("Alias", { type: CATALOG, url: "/alias.json" }),
      ],
    },
  }));
  for (const agent of ["Inline", "Deep"]) assert.equal((await connect(url, { agent })).card.name, agent);
  assert.deepEqual(
    asked.slice(0, asked.length / 2).map((request) => request.url),
    ["/.well-known/ai-catalog.json", "/root.json", "/more.json", "/alias.json", "/root.json"],
  );
});

test("DISC-04: agents of one name without identifiers, or with the same one, are told apart by the URLs of their cards", async () => {
  const { url } = await host(() => ({
    "/.well-known/ai-catalog.json": {
      entries: [
        { type: CARD, displayName: "Same", url: "/a.json" },
        { type: CARD, displayName: "Same", url: "/b.json?key=secret" },
        { type: CARD, identifier: "urn:x", displayName: "One", url: "/c.json" },
        { type: CARD, identifier: "urn:x", displayName: "Two", url: "/d.json" },
        { type: CARD, url: "/e.json" },
      ],
    },
  }));
  const message = async (agent: string) =>
    (await connect(url, { agent }).catch((error: Error) => error)) as Error;
  const catalog = `The catalog of ${url}/`;
  assert.equal(
    (await message("Same")).message,
    `${catalog} has several agents named "Same"; it has ${url}/a.json, ${url}/b.json`,
  );
  assert.equal(
    (await message("urn:x")).message,
    `${catalog} has several agents named "urn:x"; it has ${url}/c.json, ${url}/d.json`,
  );
  assert.equal(
    (await message("Three")).message,
    `${catalog} has no agent named "Three"; it has Same, One, Two, ${url}/e.json`,
  );
});

test("DISC-04: the URL in a catalog is that of the card, or of the agent if there is no card", async () => {
  const { url, asked } = await host((self) => ({
    "/.well-known/ai-catalog.json": {
      entries: [
        entry("Card", { url: "/cards/w" }),
        entry("Query", { url: "/?card=1" }),
        entry("Refusing", { url: "/refusing" }),
        entry("Talking", { url: "/talking" }),
        entry("Bare", { url: "/bare" }),
        entry("Locked", { url: "/locked" }),
      ],
    },
    "/cards/w": cardOn(self, "Card"),
    "/cards/w/.well-known/agent-card.json": 403,
    "/?card=1": cardOn(self, "Query"),
    "/refusing": 400,
    "/refusing/.well-known/agent-card.json": cardOn(self, "Refusing"),
    "/talking": { status: "ok" },
    "/talking/.well-known/agent-card.json": cardOn(self, "Talking"),
    "/bare": { name: "Bare" },
    "/locked": 401,
  }));
  for (const agent of ["Card", "Query", "Refusing", "Talking"])
    assert.equal((await connect(url, { agent })).card.name, agent);
  assert.deepEqual(
    asked.map((request) => request.url).filter((path) => path?.startsWith("/cards")),
    ["/cards/w"],
  );
  await assert.rejects(connect(url, { agent: "Bare" }), { code: "CARD_INVALID" });
  await assert.rejects(connect(url, { agent: "Locked" }), { code: "CARD_UNAVAILABLE", message: /HTTP 401/ });
});

test("DISC-04: an agent whose URL in a catalog has no card is connected whatever that URL answers", async () => {
  const closed = await host(() => ({}));
  await open.pop()?.close();
  const { url } = await host((self) => ({
    "/.well-known/ai-catalog.json": {
      entries: [entry("Streaming", { url: "/streaming" }), entry("Leading", { url: "/leading" })],
    },
    "/streaming": EVENTS,
    "/streaming/.well-known/agent-card.json": cardOn(self, "Streaming"),
    "/leading": `${closed.url}/login`,
    "/leading/.well-known/agent-card.json": cardOn(self, "Leading"),
  }));
  const timeouts = { total: 5 };
  for (const agent of ["Streaming", "Leading"])
    assert.equal((await connect(url, { agent, timeouts })).card.name, agent);
});

test("an event stream in place of a card is refused before its end", async () => {
  const { url } = await host(() => ({ "/card.json": EVENTS }));
  await assert.rejects(connect(`${url}/card.json`, { timeouts: { total: 5 } }), {
    code: "CARD_UNAVAILABLE",
    message: /received an event stream/,
  });
});

test("the URL of a card in a catalog that cannot be read is requested once", async () => {
  const { url, asked } = await host(() => ({
    "/.well-known/ai-catalog.json": { entries: [entry("Gone", { url: "/gone.json" })] },
  }));
  await assert.rejects(connect(url, { agent: "Gone" }), { code: "CARD_UNAVAILABLE" });
  assert.deepEqual(
    asked.map((request) => request.url),
    ["/.well-known/ai-catalog.json", "/gone.json"],
  );
});
