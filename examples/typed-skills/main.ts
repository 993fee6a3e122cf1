import { connect, RemoteError, SkillError } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { insurer } from "./agent.js";
import { skills } from "./generated/skills.js";

const server = await serve(insurer);

// With the map of skills, calls are typed, and checked before they are sent.
const client = await connect(server.url, { skills });
const { output: offer } = await client.skill("quote").call({ kind: "boat", amount: 12_000 });
console.log(
  `A boat of 12000 euros: ${offer.premium} euros a year, ${offer.terms[0]?.title.toLowerCase()} ${offer.terms[0]?.limit}`,
);

console.log("\nA claim, as it happens:");
const claim = { policy: "P-1", what: "It sank." };
for await (const event of client
  .skill("claim")
  .stream(claim, { answer: ({ text }) => (text ? "900" : undefined) })) {
  if (event.output) console.log("  output:", event.output.decision);
  else if (event.status) console.log(`  ${event.status.state}`);
}

// Without an answer the call ends with the question, and can be continued later.
try {
  await client.skill("claim").call(claim);
} catch (error) {
  if (!(error instanceof SkillError) || error.task === undefined) throw error;
  console.log(`\n${error.message}`);
  const { output } = await client.skill("claim").reply(error.task, "nothing");
  console.log(`  ${output.decision}${output.decision === "refused" ? `: ${output.reason}` : ""}`);
}

// Without the map only the agent checks. Its card has the schemas.
const stranger = await connect(server.url);
console.log(
  "\nSchema of a quote:",
  Object.keys(stranger.skill("quote").schemas?.input?.properties ?? {}).join(", "),
);
try {
  await stranger.skill("quote").call({ kind: "boat", amount: "a lot" });
} catch (error) {
  if (!(error instanceof RemoteError)) throw error;
  for (const { field, description } of error.violations)
    console.log(`${error.code}: ${field} ${description}`);
}

await server.close();
