import assert from "node:assert/strict";
import { test } from "vitest";
import type {
  ClaimInput,
  ClaimOutput,
  QuoteInput,
  QuoteOutput,
} from "../../examples/typed-skills/generated/models.js";
import { type Skills, skills } from "../../examples/typed-skills/generated/skills.js";
import { type Client, connect, type RemoteSkill, type SkillResult } from "../../src/client/index.js";
import {
  type AgentDefinition,
  defineAgent,
  type InputOf,
  type OutputOf,
  type SkillAgentDefinition,
} from "../../src/index.js";

/** Compiles only when `Left` and `Right` are the same type. */
type Same<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

function claim<True extends true>(_claim?: True): void {}

const card = {
  name: "Insurer",
  description: "Insures.",
  skills: [
    { id: "quote", name: "Quote", description: "Offers." },
    { id: "claim", name: "Claim", description: "Pays." },
  ],
};

const refused: ClaimOutput = { decision: "refused", reason: "late" };

/** Never run: what matters is whether it compiles. */
async function callers(client: Client<Skills>, anybody: Client): Promise<void> {
  const quote = client.skill("quote");
  claim<Same<typeof quote, RemoteSkill<QuoteInput, QuoteOutput>>>();
  const { output } = await quote.call({ kind: "boat", amount: 3 });
  claim<Same<typeof output, QuoteOutput>>();
  for await (const event of client.skill("claim").stream({ policy: "P-1", what: "sank" })) {
    if (event.output) claim<Same<typeof event.output, ClaimOutput>>();
    else if (event.status) claim<Same<typeof event.text, undefined>>();
  }
  // @ts-expect-error the amount is a number
  await quote.call({ kind: "boat", amount: "3" });
  // @ts-expect-error the amount is missing
  await quote.call({ kind: "boat" });
  // @ts-expect-error boats and bicycles are insured, planes are not
  await quote.call({ kind: "plane", amount: 3 });
  // @ts-expect-error a member that there is not
  await quote.call({ kind: "boat", amount: 3, colour: "red" });
  // @ts-expect-error a skill that there is not
  client.skill("qoute");
  // @ts-expect-error the output has no such member
  output.price;
  const unknown = await anybody.skill("whatever").call({ any: "thing" });
  claim<Same<typeof unknown, SkillResult<unknown>>>();
  const connected = await connect("https://agent.example", { skills });
  claim<Same<typeof connected, Client<Skills>>>();
  const plain = await connect("https://agent.example");
  claim<Same<typeof plain, Client>>();
  const held: Client = client;
  assert.ok(held);
}

test("a skill is called with its input and gives its output, and nothing else compiles", () => {
  assert.ok(callers);
  claim<Same<InputOf<Skills["quote"]>, QuoteInput>>();
  claim<Same<OutputOf<Skills["claim"]>, ClaimOutput>>();
});

test("the executor of a skill is typed by its contract", () => {
  const agent = defineAgent({
    card,
    skills,
    execute: {
      async quote({ input }) {
        claim<Same<typeof input, QuoteInput>>();
        return { premium: input.amount, terms: [] };
      },
      async *claim({ input, output, text }) {
        claim<Same<typeof input, ClaimInput>>();
        claim<Same<typeof text, string>>();
        // @ts-expect-error a decision that there is not
        yield output({ decision: "maybe" });
        yield output({ decision: "paid", amount: 1 });
        return refused;
      },
    },
  });
  claim<Same<typeof agent, AgentDefinition>>();
  assert.equal(typeof agent.execute, "function");
});

test("executors that break the contract do not compile", () => {
  const quote = () => ({ premium: 1, terms: [] });
  const late = () => refused;
  const definitions: SkillAgentDefinition<Skills>[] = [
    // @ts-expect-error an executor is missing
    { card, skills, execute: { quote } },
    // @ts-expect-error an executor for a skill that there is not
    { card, skills, execute: { quote, claim: late, sell: late } },
    // @ts-expect-error the premium is a number
    { card, skills, execute: { quote: () => ({ premium: "1", terms: [] }), claim: late } },
    // @ts-expect-error an output without terms
    { card, skills, execute: { quote: async () => ({ premium: 1 }), claim: late } },
    { card, skills, execute: { quote, claim: late } },
  ];
  assert.equal(definitions.length, 5);
  // @ts-expect-error the same at the call
  assert.throws(() => defineAgent({ card, skills, execute: { quote } }), TypeError);
});
