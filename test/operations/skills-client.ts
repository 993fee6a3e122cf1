import { z } from "zod";
import { connect } from "../../src/client/index.js";
import { defineAgent, skill } from "../../src/index.js";
import { createHandler } from "../../src/server/fetch/index.js";

/** Serves and calls skills in one process, over the fetch host, and prints their outputs and a refusal. */
const entry = { name: "Quote", description: "What it costs." };
const json = skill({
  ...entry,
  id: "json",
  input: { type: "object", properties: { amount: { type: "number", minimum: 1 } }, required: ["amount"] },
  output: { type: "object", properties: { premium: { type: "number" } }, required: ["premium"] },
  execute: ({ input }) => ({ premium: input.amount / 2 }),
});
const zod = skill({
  ...entry,
  id: "zod",
  input: z.object({ amount: z.number() }),
  output: z.object({ premium: z.number() }),
  execute: ({ input }) => ({ premium: input.amount / 4 }),
});
const agent = defineAgent({ card: { name: "Insurer", description: "Insures." }, skills: [json, zod] });
const handler = createHandler(agent, { logger: false });
const fetchHere = (input: string | URL | Request, init?: RequestInit) => handler(new Request(input, init));
const client = await connect("http://insurer.example", { fetch: fetchHere as typeof fetch, skills: "card" });
const outputs = [
  (await client.skill(json).call({ amount: 8 })).output,
  (await client.skill(zod).call({ amount: 8 })).output,
  (await client.skill("json").call({ amount: 2 })).output,
  await client
    .skill("json")
    .call({ amount: 0 })
    .catch((error: Error) => error.message),
];
process.stdout.write(`${JSON.stringify(outputs)}\n`);
await handler.close();
