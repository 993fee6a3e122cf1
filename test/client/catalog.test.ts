import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, test } from "vitest";
import { connect } from "../../src/client/index.js";
import { completed, defineAgent } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { plainCard } from "../support/peer.js";

const CARD = "application/a2a-agent-card+json";
const CATALOG = "application/ai-catalog+json";
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A host that answers with documents by path, and what it was asked. */
async function host(documents: (url: string) => Record<string, unknown>) {
  const asked: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request);
    const found = documents(url)[request.url ?? ""];
    response.writeHead(found === undefined ? 404 : 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => server.close() });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

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
