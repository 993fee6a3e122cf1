import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { GRPC_WEB } from "../../src/protocol/operations.js";
import { cardOf, json, result, scripted, task } from "./scripted.js";

/** Connects to the agent with a card at one URL, whose only interface is at another, and returns the URL that a call goes to. */
async function calledUrl(cardUrl: string, url: string, protocolBinding = "JSONRPC"): Promise<URL> {
  const supportedInterfaces = [{ url, protocolBinding, protocolVersion: "1.0" }];
  const { fetch, seen } = scripted((request) => {
    if (request.method === "GET") return json(cardOf({ supportedInterfaces }));
    return protocolBinding === "JSONRPC" ? result(request, { task }) : json({ task });
  });
  const grpc = { web: async () => fetch, wrap: () => fetch };
  const client = await connect(cardUrl, { fetch, grpc, headers: { "X-Key": "secret" } });
  await client.sendText("hello");
  return seen.at(-1)?.url as URL;
}

test("of two names of this machine with one port, that of the card is called, also with credentials", async () => {
  const { href } = await calledUrl("http://localhost:4000", "http://127.0.0.1:4000/a");
  assert.equal(href, "http://localhost:4000/a");
  const { origin } = await calledUrl("http://[::1]:4000", "http://localhost:4000/");
  assert.equal(origin, "http://[::1]:4000");
  for (const [cardUrl, url] of [
    ["http://localhost:4000", "http://127.0.0.1:4001/"],
    ["http://agent.example", "http://127.0.0.1/"],
    ["http://localhost", "http://agent.example/"],
  ] as const)
    await assert.rejects(calledUrl(cardUrl, url), { code: "ORIGIN_NOT_ALLOWED" });
});

for (const [binding, scheme] of [
  ["GRPC", ""],
  [GRPC_WEB, "http://"],
] as const)
  test(`of two names of this machine with one port, that of the card is called over ${binding}`, async () => {
    const at = async (address: string) =>
      (await calledUrl("http://[::1]:4000", scheme + address, binding)).origin;
    assert.equal(await at("127.0.0.1:4000"), "http://[::1]:4000");
    assert.equal(await at("127.0.0.1:4001"), "http://127.0.0.1:4001");
  });
