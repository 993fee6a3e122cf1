import assert from "node:assert/strict";
import { test } from "vitest";
import type { AgentCard } from "../../src/protocol/model.js";
import { cardOf, clientOf, connect, result, scripted } from "./scripted.js";

test("a lenient client ignores extensions in a card that are not a list, and members of the list that are not objects", async () => {
  const required = { uri: "urn:a", required: true };
  const cardWith = (extensions: unknown) =>
    cardOf({ capabilities: { extensions } as AgentCard["capabilities"] });
  const { fetch } = scripted(() => Promise.reject(new TypeError("fetch failed")));
  for (const extensions of [{}, required, "x", 7, [null], ["x"]]) {
    const answer = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hello" }] };
    const { client } = await clientOf((request) => result(request, { message: answer }), {
      card: cardWith(extensions),
      lenient: true,
    });
    assert.deepEqual(client.card.capabilities.extensions, extensions);
    assert.equal((await client.skill("say").call("hi")).text, "hello");
  }
  await assert.rejects(connect(cardWith([null, required]), { fetch, lenient: true }), {
    code: "EXTENSION_REQUIRED",
    expected: "urn:a",
  });
});
