import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "vitest";
import { connect } from "../../src/client/index.js";

interface Older {
  /** Path of the JSON-RPC endpoint, as the card names it. */
  readonly rpc: string;
  /** Path of the extended card. */
  readonly extended?: string;
  /** What the endpoint says to a method that it does not know: an error, or an HTTP status. */
  readonly unknown?: { readonly code: number; readonly message: string } | number;
  /** What an unknown path is answered with. */
  readonly missing?: readonly [status: number, text: string];
}

/** An agent of 0.2: no method for the extended card, which those who have logged in get from a path of its own. */
async function older(
  t: TestContext,
  { rpc, extended, unknown = { code: -32601, message: "Method not found" }, missing = [404, ""] }: Older,
) {
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    const send = (status: number, value: unknown): void => {
      if (typeof value === "string") response.writeHead(status, { "Content-Type": "text/html" }).end(value);
      else response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
    };
    if (path === "/.well-known/agent.json") return send(200, card(request));
    if (path?.startsWith("/.well-known/")) return send(404, "");
    seen.push(`${method} ${path}`);
    if (method === "POST" && path === rpc) {
      const { id } = (await json(request)) as { id: number };
      if (typeof unknown === "number") return send(unknown, "");
      return send(200, { jsonrpc: "2.0", id, error: unknown });
    }
    if (path !== extended) return send(...missing);
    if (headers.authorization !== "Bearer good") return send(401, { detail: "Who are you?" });
    return send(200, { ...card(request), description: "More." });
  });
  const card = ({ headers: { host } }: IncomingMessage) => ({
    name: "Old",
    description: "Of 0.2",
    version: "1",
    protocolVersion: "0.2.5",
    url: `http://${host}${rpc}`,
    capabilities: {},
    defaultInputModes: ["text"],
    defaultOutputModes: ["text"],
    skills: [],
    securitySchemes: { login: { type: "http", scheme: "bearer" } },
    security: [{ login: [] }],
    supportsAuthenticatedExtendedCard: true,
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, client: (token = "good") => connect(url, { credentials: { login: token } }) };
}

const PATH = "/agent/authenticatedExtendedCard";

test("OP-XCARD-10, OP-XCARD-11, LEG-05: the extended card of an agent of 0.2 is fetched from the path that it had, with credentials", async (t) => {
  const places = [
    { rpc: "/", extended: PATH, tried: [PATH] },
    { rpc: "/a2a", extended: PATH, tried: [PATH] },
    { rpc: "/a2a", extended: `/a2a${PATH}`, tried: [PATH, `/a2a${PATH}`] },
    { rpc: "/a2a/", extended: `/a2a${PATH}`, tried: [`/a2a${PATH}`] },
  ];
  for (const { tried, ...place } of places) {
    const { seen, client } = await older(t, place);
    const agent = await client();
    const { description } = await agent.getExtendedAgentCard();
    assert.equal(description, "More.");
    assert.equal(agent.card.description, "More.");
    assert.deepEqual(seen, [`POST ${place.rpc}`, ...tried.map((path) => `GET ${path}`)]);
  }
});

test("agents of 0.2 say in different ways that they do not know a method", async (t) => {
  const ways = [{ code: -32600, message: "Request payload validation error" }, 404, 405, 501];
  for (const unknown of ways) {
    const { client } = await older(t, { rpc: "/", extended: PATH, unknown });
    assert.equal((await (await client()).getExtendedAgentCard()).description, "More.");
  }
});

test("an extended card that is to be had for others only is refused as it is elsewhere", async (t) => {
  const { client } = await older(t, { rpc: "/", extended: PATH });
  await assert.rejects((await client("bad")).getExtendedAgentCard(), {
    code: "UNAUTHENTICATED",
    httpStatus: 401,
  });
});

test("an agent that has no extended card in any place is cited with its answer to the method", async (t) => {
  const pages = [
    [404, ""],
    [404, "<p>Lost?"],
    [200, "<p>Welcome"],
  ] as const;
  for (const missing of pages) {
    const { seen, client } = await older(t, { rpc: "/a2a", missing });
    await assert.rejects((await client()).getExtendedAgentCard(), {
      code: "METHOD_NOT_FOUND",
      jsonRpcCode: -32601,
    });
    assert.equal(seen.length, 3);
  }
});

test("other errors of the method are final", async (t) => {
  const unknown = { code: -32603, message: "Out of order" };
  const { seen, client } = await older(t, { rpc: "/", extended: PATH, unknown });
  await assert.rejects((await client()).getExtendedAgentCard(), { code: "INTERNAL_ERROR" });
  assert.deepEqual(seen, ["POST /"]);
});
