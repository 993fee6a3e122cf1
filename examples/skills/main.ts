import { ClientError, connect } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { insurer } from "./agent.js";
import { claimShapes, quoteShapes } from "./shapes.js";

const server = await serve(insurer);
const client = await connect(server.url);

// The schemas are enough to type the call, and to check it on both sides.
const { output: offer } = await client.skill(quoteShapes).call({ kind: "boat", amount: 12_000 });
console.log(`A boat of 12000 euros: ${offer.premium} euros a year until ${offer.until}`);

const claim = client.skill(claimShapes);
const { output } = await claim.call({ policy: "P-1" }, { answer: ({ text }) => (text ? "900" : undefined) });
console.log(`The claim: ${output.paid} euros`);

// A caller without them can use the JSON Schemas that the card publishes.
const stranger = await connect(server.url, { skills: "card" });
console.log(
  "Schema of a quote:",
  Object.keys(stranger.skill("quote").schemas?.input?.properties ?? {}).join(", "),
);
try {
  await stranger.skill("claim").call({ policy: "7" });
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  console.log(error.message);
}

// Messages that name no skill go to `execute`.
const { message } = await client.sendText("my bicycle");
console.log(message?.parts[0]?.text);

await server.close();
