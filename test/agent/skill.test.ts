import assert from "node:assert/strict";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { type TestContext, test } from "vitest";
import { z } from "zod";
import { skills as generated } from "../../examples/typed-skills/generated/skills.js";
import { ClientError, connect, RemoteError, SkillError } from "../../src/client/index.js";
import {
  completed,
  defineAgent,
  reply,
  type SkillListDefinition,
  skill,
  textOf,
  withJsonSchema,
  working,
} from "../../src/index.js";
import { plainCard, serveFor, text } from "../support/peer.js";

const entry = { name: "Quote", description: "What it costs.", tags: ["insurance"] };
const shapes = {
  zod: {
    input: z.object({ amount: z.string().transform(Number), currency: z.string().default("EUR") }),
    output: z.object({ premium: z.number(), currency: z.string() }),
  },
  valibot: {
    input: toStandardJsonSchema(
      v.object({ amount: v.pipe(v.string(), v.transform(Number)), currency: v.optional(v.string(), "EUR") }),
    ),
    output: withJsonSchema(v.object({ premium: v.number(), currency: v.string() }), () => ({
      type: "object",
    })),
  },
  arktype: {
    input: type({ amount: type("string").pipe(Number), currency: "string = 'EUR'" }),
    output: type({ premium: "number", currency: "string" }),
  },
};

async function serveSkills(
  t: TestContext,
  skills: SkillListDefinition["skills"],
  more: Partial<SkillListDefinition> = {},
) {
  return serveFor(t, defineAgent({ card: plainCard, skills, ...more }));
}

function data(value: unknown, name?: string) {
  return text("", { message: { parts: [{ data: value }], ...(name && { metadata: { skill: name } }) } });
}

for (const [library, { input, output }] of Object.entries(shapes)) {
  test(`a skill of ${library}: input is transformed, the card has its JSON Schema, faults have paths`, async (t) => {
    const quote = skill({
      ...entry,
      id: "quote",
      input: input as typeof shapes.zod.input,
      output: output as typeof shapes.zod.output,
      execute: ({ input: { amount, currency } }) => ({
        premium: amount * (amount > 1000 ? Number.NaN : 0.5),
        currency,
      }),
    });
    const { url, rpc } = await serveSkills(t, [quote]);
    const client = await connect(url);
    const { output: offer } = await client.skill(quote).call({ amount: "30" });
    assert.deepEqual(offer, { premium: 15, currency: "EUR" });
    const published = client.skill("quote").schemas;
    const { type: kind, properties, required } = (published?.input ?? {}) as any;
    assert.equal(kind, "object");
    if (library !== "arktype") assert.deepEqual([properties.amount.type, required], ["string", ["amount"]]);
    assert.equal(published?.output?.type, "object");
    const wrong = await rpc.call("SendMessage", data({ amount: 30 }, "quote"));
    assert.deepEqual([wrong.error, wrong.fields], ["INVALID_PARAMS", ["message.parts[0].data.amount"]]);
    assert.match(wrong.message ?? "", /data\.amount is not valid: .*string/);
    await assert.rejects(client.skill(quote).call({ amount: 30 } as never), (error) => {
      assert.ok(error instanceof ClientError);
      assert.deepEqual([error.code, error.field], ["INVALID_REQUEST", "message.parts[0].data.amount"]);
      return true;
    });
    const broken = await rpc.call("SendMessage", data({ amount: "2000" }, "quote"));
    assert.equal(broken.error, "INVALID_AGENT_RESPONSE");
    assert.equal((await rpc.call("ListTasks")).result.totalSize, 0);
  });
}

test("the card has an entry for each skill, beside those of the card itself", async (t) => {
  const quote = skill({
    ...entry,
    ...shapes.zod,
    id: "quote",
    examples: ["A boat"],
    execute: () => ({ premium: 1, currency: "EUR" }),
  });
  const say = skill({ id: "say", name: "Say", description: "Says it.", execute: ({ input }) => `${input}!` });
  const card = {
    ...plainCard,
    skills: [{ id: "other", name: "Other", description: "Does more.", tags: [] }],
  };
  const { url } = await serveSkills(t, [quote, say], { card, execute: () => reply("other") });
  const found: any = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  assert.deepEqual(found.skills, [
    card.skills[0],
    {
      ...entry,
      id: "quote",
      examples: ["A boat"],
      inputModes: ["application/json"],
      outputModes: ["application/json"],
    },
    { id: "say", name: "Say", description: "Says it.", tags: [] },
  ]);
  const [{ uri, params }] = found.capabilities.extensions;
  assert.equal(uri, "urn:a2a-parley:skill-schemas:v1");
  assert.deepEqual(Object.keys(params.skills), ["quote", "say"]);
  assert.deepEqual(params.skills.say, {});
});

test("`execute` takes what names no skill, and text is a skill's input without a schema", async (t) => {
  const say = skill({ id: "say", name: "Say", description: "Says it.", execute: ({ input }) => `${input}!` });
  const { rpc, url } = await serveSkills(t, [say], { execute: ({ text }) => reply(`You said ${text}`) });
  assert.equal((await rpc.call("SendMessage", text("hello"))).result.message.parts[0].text, "You said hello");
  assert.equal((await (await connect(url)).skill(say).call("hello")).output, "hello!");
  const alone = await serveSkills(t, [say]);
  assert.equal((await alone.rpc.call("SendMessage", text("hello"))).result.message.parts[0].text, "hello!");
});

test("a generator has updates and questions, and its outputs are checked at their yields", async (t) => {
  const refusals: string[] = [];
  const claim = skill({
    id: "claim",
    name: "Claim",
    description: "Pays.",
    input: z.object({ policy: z.string() }),
    output: z.object({ paid: z.number().nonnegative() }),
    async *execute({ input, ask, output }) {
      yield working(`Looking at ${input.policy}`);
      try {
        yield output({ paid: -1 });
      } catch (error) {
        refusals.push((error as Error).message);
      }
      const paid = Number(textOf(yield* ask("How much?")));
      return { paid };
    },
  });
  const { url } = await serveSkills(t, [claim]);
  const remote = (await connect(url)).skill(claim);
  const seen: unknown[] = [];
  for await (const { output, status } of remote.stream({ policy: "P-1" }, { answer: () => "70" }))
    seen.push(output ?? status?.state);
  assert.deepEqual(seen.slice(-2), [{ paid: 70 }, "TASK_STATE_COMPLETED"]);
  assert.match(
    refusals[0] ?? "",
    /^artifactUpdate\.artifact\.parts\[0\]\.data\.paid is not valid: .*: the skill claim promises it$/,
  );
  const failing = remote.call({ policy: "P-1" }, { answer: () => "-5" });
  await assert.rejects(
    failing,
    (error) => error instanceof SkillError && error.state === "TASK_STATE_FAILED",
  );
});

test("asynchronous schemas, generated ones and JSON Schemas do the same", async (t) => {
  const known = z.string().refine(async (policy) => policy.startsWith("P-"), "no such policy");
  const asynchronous = skill({
    ...entry,
    id: "async",
    input: z.object({ policy: known }),
    output: z.object({ policy: known }),
    async *execute({ input, output }) {
      yield output({ policy: input.policy });
      yield completed();
    },
  });
  const compiled = skill({
    ...entry,
    id: "compiled",
    ...generated.quote,
    execute: ({ input }) => ({ premium: input.amount, terms: [] }),
  });
  const json = skill({
    ...entry,
    id: "json",
    input: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false },
      },
      required: ["pair"],
    },
    output: { type: "object", properties: { sum: { type: "number", maximum: 9 } }, required: ["sum"] },
    execute: ({ input }) => ({
      sum: (input.pair as unknown[]).length * (input.pair?.[0] === "much" ? 10 : 1),
    }),
  });
  const { url, rpc } = await serveSkills(t, [asynchronous, compiled, json]);
  const client = await connect(url);
  assert.deepEqual((await client.skill(asynchronous).call({ policy: "P-1" })).output, { policy: "P-1" });
  assert.equal((await client.skill(compiled).call({ kind: "boat", amount: 3 })).output.premium, 3);
  assert.deepEqual((await client.skill(json).call({ pair: ["a", 1] } as never)).output, { sum: 2 });
  for (const [name, value, field] of [
    ["async", { policy: "Q" }, "message.parts[0].data.policy"],
    ["compiled", { kind: "boat" }, "message.parts[0].data.amount"],
    ["json", { pair: ["a", "b"] }, "message.parts[0].data.pair[1]"],
    ["json", { pair: ["a", 1, 2] }, "message.parts[0].data.pair[2]"],
  ] as const) {
    const { error, fields } = await rpc.call("SendMessage", data(value, name));
    assert.deepEqual([error, fields], ["INVALID_PARAMS", [field]]);
  }
  assert.equal(
    (await rpc.call("SendMessage", data({ pair: ["much"] }, "json"))).error,
    "INVALID_AGENT_RESPONSE",
  );
  const published = client.skill("json").schemas?.input as any;
  assert.equal(published.$schema, "https://json-schema.org/draft/2020-12/schema");
  assert.equal(published.properties.pair.items, false);
});

test("a client checks by schemas alone, by a map of them, and by what the card says", async (t) => {
  const quote = skill({
    ...entry,
    ...shapes.zod,
    id: "quote",
    execute: ({ input: { amount, currency } }) => ({ premium: amount, currency }),
  });
  const { url } = await serveSkills(t, [quote, skill({ ...entry, id: "say", execute: () => "hi" })]);
  const plain = await connect(url);
  const dated = { premium: z.number().transform((euros) => `${euros} euros`), currency: z.string() };
  const { output } = await plain
    .skill({ id: "quote", output: z.object(dated), input: z.object({ amount: z.string() }) })
    .call({ amount: "7" });
  assert.deepEqual(output, { premium: "7 euros", currency: "EUR" });
  const mapped = await connect(url, { skills: { quote: shapes.zod } });
  assert.equal((await mapped.skill("quote").call({ amount: "7" })).output.premium, 7);
  const known = await connect(url, { skills: "card" });
  assert.deepEqual((await known.skill("quote").call({ amount: "7" })).output, {
    premium: 7,
    currency: "EUR",
  });
  assert.equal((await known.skill("say").call("hello")).output, "hi");
  await assert.rejects(known.skill("quote").call({ amount: 7 }), (error) => {
    assert.ok(error instanceof ClientError);
    assert.deepEqual(
      [error.code, error.field, error.expected],
      ["INVALID_REQUEST", "message.parts[0].data.amount", "must be a string"],
    );
    return true;
  });
  // Without any of them the agent checks.
  await assert.rejects(plain.skill("quote").call({ amount: 7 }), RemoteError);
  const params = { skills: { quote: { input: { $ref: "https://elsewhere.example/quote.json" } } } };
  const card = {
    ...known.card,
    capabilities: { extensions: [{ uri: "urn:a2a-parley:skill-schemas:v1", params }] },
  };
  const odd = (await connect(card, { skills: "card" })).skill("quote").call({ amount: "7" });
  await assert.rejects(odd, (error) => {
    assert.ok(error instanceof ClientError);
    assert.equal(error.code, "CARD_INVALID");
    assert.match(error.message, /input of the skill .*elsewhere\.example.* has no target/);
    return true;
  });
  const own = plain.skill({ id: "quote", input: { type: "objekt" } }).call({} as never);
  await assert.rejects(own, (error) => error instanceof ClientError && error.code === "INVALID_OPTION");
});

test("definitions that cannot work are refused when they are made", () => {
  const execute = () => "hi";
  const say = skill({ ...entry, id: "say", execute });
  assert.throws(() => skill({ ...entry, id: "", execute }), /A skill needs an id/);
  assert.throws(
    () => skill({ ...entry, id: "say", execute: 7 as never }),
    /skill say needs a function `execute`/,
  );
  assert.throws(() => defineAgent({ card: plainCard, skills: [say, say] }), /skill say is defined twice/);
  const plain = skill({ ...entry, id: "plain", output: v.string(), execute });
  assert.throws(
    () => defineAgent({ card: plainCard, skills: [plain] }),
    /The output of the skill plain has no JSON Schema for the card: valibot does not provide one.*withJsonSchema/,
  );
  const dated = skill({ ...entry, id: "dated", input: z.object({ day: z.date() }), execute });
  assert.throws(
    () => defineAgent({ card: plainCard, skills: [dated] }),
    /input of the skill dated .*Date cannot be represented/,
  );
  const old = { ...entry, id: "old", input: { $schema: "http://json-schema.org/draft-04/schema#" }, execute };
  assert.throws(() => skill(old), /draft-04.*draft-07 are supported/);
  // A skill may be an object of another origin.
  assert.throws(
    () => defineAgent({ card: plainCard, skills: [{ ...old, output: undefined }] }),
    /draft-04.*draft-07 are supported/,
  );
});
