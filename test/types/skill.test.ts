import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { QuoteInput, QuoteOutput } from "../../examples/typed-skills/generated/models.js";
import { skills as generated } from "../../examples/typed-skills/generated/skills.js";
import type { Client, RemoteSkill } from "../../src/client/index.js";
import { connect } from "../../src/client/index.js";
import {
  type AgentDefinition,
  defineAgent,
  type InputOf,
  type OutputOf,
  type ReceivedInputOf,
  type ReceivedOutputOf,
  type SkillContext,
  skill,
  type TypeOfSchema,
  withJsonSchema,
} from "../../src/index.js";

const entry = { name: "Quote", description: "What it costs." };
const card = { name: "Insurer", description: "Insures." };

/** Amounts are sent as text and received as numbers; the currency has a default. */
const ofZod = skill({
  ...entry,
  id: "zod",
  input: z.object({ amount: z.string().transform(Number), currency: z.string().default("EUR") }),
  output: z.object({ premium: z.number(), note: z.string().default("") }),
  execute({ input }) {
    expectTypeOf(input).toEqualTypeOf<{ amount: number; currency: string }>();
    return { premium: input.amount };
  },
});
const ofValibot = skill({
  ...entry,
  id: "valibot",
  input: toStandardJsonSchema(v.object({ amount: v.pipe(v.string(), v.transform(Number)) })),
  output: withJsonSchema(v.object({ premium: v.number() }), { type: "object" }),
  async execute({ input }) {
    expectTypeOf(input).toEqualTypeOf<{ amount: number }>();
    return { premium: input.amount };
  },
});
const ofArkType = skill({
  ...entry,
  id: "arktype",
  input: type({ amount: "number > 0", "note?": "string" }),
  output: type({ premium: "number" }),
  async *execute({ input, output }) {
    expectTypeOf(input).toEqualTypeOf<{ amount: number; note?: string }>();
    yield output({ premium: 1 });
    // @ts-expect-error the premium is a number
    yield output({ premium: "1" });
    return { premium: input.amount };
  },
});
const ofJsonSchema = skill({
  ...entry,
  id: "json",
  input: {
    type: "object",
    properties: {
      kind: { enum: ["boat", "house"] },
      amount: { type: "number" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["kind", "amount"],
  },
  output: { type: "object", properties: { premium: { type: "number" } }, required: ["premium"] },
  execute({ input }) {
    expectTypeOf(input).toEqualTypeOf<{ kind: "boat" | "house"; amount: number; tags?: string[] }>();
    return { premium: input.amount };
  },
});
const ofContract = skill({
  ...entry,
  id: "generated",
  ...generated.quote,
  execute: ({ input: { amount } }) => ({ premium: amount, terms: [] }),
});
const ofText = skill({
  ...entry,
  id: "text",
  execute({ input, output }: SkillContext<string, string>) {
    expectTypeOf(output).parameter(0).toEqualTypeOf<string>();
    return input.toUpperCase();
  },
});

test("a caller sends what goes into a schema and receives what comes out", () => {
  expectTypeOf<InputOf<typeof ofZod>>().toEqualTypeOf<{ amount: string; currency?: string | undefined }>();
  expectTypeOf<ReceivedInputOf<typeof ofZod>>().toEqualTypeOf<{ amount: number; currency: string }>();
  expectTypeOf<OutputOf<typeof ofZod>>().toEqualTypeOf<{ premium: number; note?: string | undefined }>();
  expectTypeOf<ReceivedOutputOf<typeof ofZod>>().toEqualTypeOf<{ premium: number; note: string }>();
  expectTypeOf<InputOf<typeof ofValibot>>().toEqualTypeOf<{ amount: string }>();
  expectTypeOf<InputOf<typeof ofArkType>>().toEqualTypeOf<{ amount: number; note?: string }>();
  expectTypeOf<ReceivedOutputOf<typeof ofJsonSchema>>().toEqualTypeOf<{ premium: number }>();
  expectTypeOf<InputOf<typeof ofText>>().toEqualTypeOf<string>();
  expectTypeOf<ReceivedOutputOf<typeof ofText>>().toEqualTypeOf<string>();
});

test("skills of all kinds make an agent, and client.skill is typed by each", () => {
  const agent = defineAgent({
    card,
    skills: [ofZod, ofValibot, ofArkType, ofJsonSchema, ofContract, ofText],
  });
  expectTypeOf(agent).toEqualTypeOf<AgentDefinition>();
  /** Never run: what matters is whether it compiles. */
  async function callers(client: Client) {
    expectTypeOf(client.skill(ofZod)).toEqualTypeOf<
      RemoteSkill<{ amount: string; currency?: string | undefined }, { premium: number; note: string }>
    >();
    expectTypeOf(client.skill(ofContract)).toEqualTypeOf<RemoteSkill<QuoteInput, QuoteOutput>>();
    const bare = client.skill({ id: "zod", input: z.object({ a: z.number() }), output: z.string() });
    expectTypeOf(bare).toEqualTypeOf<RemoteSkill<{ a: number }, string>>();
    // @ts-expect-error amounts are sent as text
    await client.skill(ofZod).call({ amount: 1 });
    // @ts-expect-error planes are not insured
    await client.skill(ofJsonSchema).call({ kind: "plane", amount: 1 });
    const known = await connect("https://agent.example", {
      skills: { quote: { input: z.object({ a: z.number() }), output: z.string() } },
    });
    expectTypeOf(known.skill("quote")).toEqualTypeOf<RemoteSkill<{ a: number }, string>>();
    // @ts-expect-error a skill that there is not
    known.skill("qoute");
    const published = await connect("https://agent.example", { skills: "card" });
    expectTypeOf(published).toEqualTypeOf<Client>();
    expectTypeOf((await published.skill("any").call({ any: "thing" })).output).toBeUnknown();
  }
  expectTypeOf(callers).toBeFunction();
});

test("code that breaks its schema does not compile", () => {
  // @ts-expect-error the premium is missing
  skill({ ...entry, id: "q", output: z.object({ premium: z.number() }), execute: () => ({}) });
  // @ts-expect-error the premium is a number
  skill({ ...entry, id: "q", output: type({ premium: "number" }), execute: () => ({ premium: "1" }) });
  // @ts-expect-error the input has no such member
  skill({ ...entry, id: "q", input: z.object({ a: z.string() }), execute: ({ input }) => String(input.b) });
  // @ts-expect-error there is no output schema, so the output is text
  skill({ ...entry, id: "q", execute: () => 7 });
});

test("JSON Schemas written as literals have types", () => {
  expectTypeOf<TypeOfSchema<{ readonly type: readonly ["string", "null"] }>>().toEqualTypeOf<string | null>();
  expectTypeOf<TypeOfSchema<{ const: "a" }>>().toEqualTypeOf<"a">();
  expectTypeOf<TypeOfSchema<{ anyOf: [{ type: "integer" }, { type: "boolean" }] }>>().toEqualTypeOf<
    number | boolean
  >();
  expectTypeOf<
    TypeOfSchema<{
      readonly type: "array";
      readonly prefixItems: readonly [{ type: "string" }, { type: "number" }];
      items: false;
    }>
  >().toEqualTypeOf<[string?, number?]>();
  expectTypeOf<TypeOfSchema<{ $ref: "#/$defs/a" }>>().toBeUnknown();
  expectTypeOf<TypeOfSchema<{ type: "object"; additionalProperties: { type: "number" } }>>().toEqualTypeOf<{
    [name: string]: number;
  }>();
  expectTypeOf<
    TypeOfSchema<{
      allOf: [
        { type: "object"; properties: { a: { type: "string" } }; required: ["a"] },
        { type: "object"; properties: { b: { type: "null" } } },
      ];
    }>
  >().toEqualTypeOf<{ a: string; b?: null }>();
});
