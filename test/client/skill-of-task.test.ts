import assert from "node:assert/strict";
import { test } from "vitest";
import { skills } from "../../examples/typed-skills/generated/skills.js";
import { connect } from "../../src/client/index.js";
import { defineAgent } from "../../src/index.js";
import { plainCard, serveFor } from "../support/peer.js";

const entry = (id: string) => ({ id, name: id, description: "Does it.", tags: ["a"] });
const card = { ...plainCard, skills: [entry("quote"), entry("claim")] };
const offer = { premium: 3, terms: [{ title: "Excess" }] };
const boat = { kind: "boat", amount: 30 } as const;

for (const tasks of ["auto", "always", "never"] as const) {
  for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
    test(`the output that a skill returns is its result with tasks: ${tasks} [${binding}]`, async (t) => {
      const execute = {
        quote: () => offer,
        claim: () => ({ decision: "refused" as const, reason: "no" }),
      };
      const { url } = await serveFor(t, defineAgent({ card, skills, execute, tasks }));
      const client = await connect(url, { skills, bindings: [binding] });
      const called = await client.skill("quote").call(boat);
      assert.deepEqual(called.output, offer);
      assert.equal(called.task?.status.state, tasks === "always" ? "TASK_STATE_COMPLETED" : undefined);
      assert.deepEqual((await client.skill("quote").stream(boat).result()).output, offer);
    });
  }
}
