import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError, type ExtendedCard, reply } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { plainCard, serveFor } from "../support/peer.js";

const execute = async () => reply("");
const skill = { id: "secret", name: "Secret", description: "Not for everybody", tags: [] };

/** Serves an agent with an extended card that anybody may see. */
const agentWith = (extendedCard: ExtendedCard) => ({
  card: plainCard,
  execute,
  extendedCard,
  extendedCardForAnyone: true,
});

test("OP-XCARD-01, OP-XCARD-04: without the capability the operation is not supported", async (t) => {
  const { rpc, rest } = await serveFor(t, { card: plainCard, execute });
  for (const peer of [rpc, rest]) {
    assert.equal((await peer.call("GetExtendedAgentCard", {})).error, "UNSUPPORTED_OPERATION");
  }
});

test("OP-XCARD-02: declared but not set is an error of its own", async (t) => {
  const { rpc, rest } = await serveFor(
    t,
    agentWith(() => undefined),
  );
  for (const peer of [rpc, rest]) {
    assert.equal((await peer.call("GetExtendedAgentCard", {})).error, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
  }
});

test("OP-XCARD-03, OP-XCARD-08, CARD-23: a caller without an identity gets an authentication error, never the card", async (t) => {
  const { rpc, rest } = await serveFor(t, { card: plainCard, execute, extendedCard: { skills: [skill] } });
  for (const peer of [rpc, rest]) {
    const answer = await peer.call("GetExtendedAgentCard", {});
    assert.equal(answer.error, "UNAUTHENTICATED");
    assert.equal(answer.response.status, 401);
  }
});

test("OP-XCARD-05, OP-XCARD-06, OP-XCARD-09: the answer is a complete card that only this caller may cache", async (t) => {
  const { rpc, rest, url } = await serveFor(t, agentWith({ skills: [skill] }));
  const headers = { "A2A-Version": protocolVersion };
  const publicCard = await (await fetch(`${url}/.well-known/agent-card.json`, { headers })).json();
  for (const peer of [rpc, rest]) {
    const { result, response } = await peer.call("GetExtendedAgentCard", undefined);
    assert.deepEqual(result, { ...(publicCard as object), skills: [skill] });
    assert.match(response.headers.get("cache-control") ?? "", /private|no-store/);
    assert.match(response.headers.get("vary") ?? "", /authorization/i);
  }
});

test("OP-XCARD-07: the card may differ by caller and may be refused", async (t) => {
  const { rpc, rest } = await serveFor(
    t,
    agentWith(({ name }, { headers }) => {
      if (headers["x-level"] === undefined) throw new A2AError("PERMISSION_DENIED");
      return { name: `${name} for level ${headers["x-level"]}` };
    }),
  );
  for (const peer of [rpc, rest]) {
    const refused = await peer.call("GetExtendedAgentCard", {});
    assert.deepEqual([refused.error, refused.response.status], ["PERMISSION_DENIED", 403]);
    const { result } = await peer.call("GetExtendedAgentCard", {}, { "X-Level": "2" });
    assert.equal(result.name, "Test agent for level 2");
  }
});

test("OP-XCARD-06: an extended card that is no card does not leave the server", async (t) => {
  const { rpc } = await serveFor(
    t,
    agentWith(() => JSON.parse('{"skills":"many"}')),
  );
  assert.equal((await rpc.call("GetExtendedAgentCard", {})).error, "INVALID_AGENT_RESPONSE");
});
