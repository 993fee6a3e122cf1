import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { insurer } from "../../examples/typed-skills/agent.js";
import { type Skills, skills } from "../../examples/typed-skills/generated/skills.js";
import { type Client, connect } from "../../src/client/index.js";
import type { AgentDefinition } from "../../src/index.js";
import { serveFor } from "../support/peer.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/skills.md");
const shown = new Set<string>();

/** Runs a block of the page and shows what the page says of it. */
function page<Names>(name: string, show: (names: Names, t: TestContext) => Promise<void>): void {
  shown.add(name);
  test(`docs/skills.md, ${name}: does what the page says`, async (t) => {
    const block = blocks.find((one) => one.name === name);
    assert.ok(block, `the page has no block ${name}`);
    await show((await run(block)) as Names, t);
  });
}

async function clientOf(t: TestContext): Promise<Client<Skills>> {
  return connect((await serveFor(t, insurer)).url, { skills });
}

type PremiumOf = (url: string, amount: number) => Promise<number>;

page<{ insurer: AgentDefinition; premiumOf: PremiumOf }>("inline", async ({ insurer, premiumOf }, t) => {
  const { url } = await serveFor(t, insurer);
  assert.equal(await premiumOf(url, 100), 5);
  const { message } = await (await connect(url)).sendText("boats");
  assert.equal(message?.parts[0]?.text, "Ask for a quote of boats.");
});

page<{ premiumOf: PremiumOf }>("shared", async ({ premiumOf }, t) => {
  assert.equal(await premiumOf((await serveFor(t, insurer)).url, 1000), 50);
});

page<{ insurer: AgentDefinition }>("insurer", async ({ insurer }, t) => {
  const { url } = await serveFor(t, insurer);
  const client = await connect(url, { skills });
  assert.equal((await client.skill("quote").call({ kind: "boat", amount: 100 })).output.premium, 5);
  const { output } = await client.skill("claim").call({ policy: "P-1", what: "rust" });
  assert.deepEqual(output, { decision: "refused", reason: "Not insured: rust" });
});

page<{ premiumOf: PremiumOf }>("caller", async ({ premiumOf }, t) => {
  assert.equal(await premiumOf((await serveFor(t, insurer)).url, 1000), 50);
});

type Claim = (client: Client<Skills>, worth: string) => Promise<string>;

page<{ claim: Claim; claimLater: Claim }>("questions", async ({ claim, claimLater }, t) => {
  const client = await clientOf(t);
  assert.equal(await claim(client, "900"), "paid");
  assert.equal(await claimLater(client, "none"), "refused");
});

page<{ watch: (client: Client<Skills>) => Promise<string[]> }>("events", async ({ watch }, t) => {
  const [first, ...rest] = await watch(await clientOf(t));
  assert.equal(first, "TASK_STATE_WORKING");
  assert.deepEqual(rest.slice(-2), ["paid", "TASK_STATE_COMPLETED"]);
});

test("every block of docs/skills.md is run", () => {
  assert.deepEqual(
    blocks.map(({ name }) => name),
    [...shown],
  );
});
