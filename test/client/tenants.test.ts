import assert from "node:assert/strict";
import { test } from "vitest";
import { userMessage } from "../../src/client/index.js";
import { cardOf, clientOf, completed, eventStream, frames, origin, result, task } from "./scripted.js";

for (const protocolVersion of ["0.3", "0.1"]) {
  test(`a request for a tenant is not sent in ${protocolVersion}, which has no tenants`, async () => {
    const supportedInterfaces = [{ url: `${origin}/a2a`, protocolBinding: "JSONRPC", protocolVersion }];
    const { client, seen } = await clientOf((request) => result(request, task), {
      card: cardOf({ supportedInterfaces }),
    });
    const missing = {
      code: "CAPABILITY_MISSING",
      message: `There is no tenant in protocol version ${protocolVersion} over JSONRPC`,
    };
    await assert.rejects(client.getTask({ id: "t", tenant: "acme" }), missing);
    const message = userMessage("x");
    await assert.rejects(client.sendStreamingMessage({ message, tenant: "acme" }).result(), missing);
    assert.equal(seen.length, 0);
    await client.getTask({ id: "t", tenant: "" }).catch(() => undefined);
    assert.equal(seen.length, 1);
  });
}

test("TEN-03: a stream that was cut continues in the tenant of its request", async () => {
  const ended = { ...task, status: completed };
  const { client, seen } = await clientOf((request) => {
    const { method } = request.json;
    if (method === "GetTask") return result(request, ended);
    if (method === "SubscribeToTask") return eventStream(frames(request, [{ task: ended }]));
    return eventStream(frames(request, [{ task }]), "cut");
  });
  const message = userMessage("x");
  await client.sendStreamingMessage({ message, tenant: "acme" }).result();
  assert.deepEqual(
    seen.map(({ json }) => json.method),
    ["SendStreamingMessage", "SubscribeToTask", "GetTask"],
  );
  for (const { json } of seen) assert.equal(json.params.tenant, "acme");
});
