import { defineAgent, reply, skill, textOf, working } from "a2a-parley";
import { claimShapes, quoteShapes } from "./shapes.js";

/** Yearly premium as a fraction of the value. */
const rates = { bicycle: 0.08, boat: 0.05, house: 0.002 };

/** A function returns the output, which is sent in a single message. */
const quote = skill({
  ...quoteShapes,
  name: "Quote",
  description: "What it costs to insure something.",
  tags: ["insurance"],
  // `since` is sent as a string; the schema transforms it to a Date.
  execute: ({ input: { kind, amount, since } }) => ({
    premium: Math.round(amount * rates[kind]),
    until: `${since.getUTCFullYear() + 1}-12-31`,
  }),
});

/** A generator has a task, so it can report progress and ask questions. */
const claim = skill({
  ...claimShapes,
  name: "Claim",
  description: "Files a claim for a damage.",
  tags: ["insurance"],
  async *execute({ input, ask }) {
    yield working(`Looking at policy ${input.policy}`);
    const amount = Number(textOf(yield* ask("How many euros was it worth?")));
    return { paid: Math.max(amount - 100, 0) };
  },
});

/** An insurer. The card's entries, the JSON Schemas in it, the checks and the types all come from the two skills. */
export const insurer = defineAgent({
  card: { name: "Insurer", description: "Insures things and pays when they break." },
  skills: [quote, claim],
  execute: ({ text }) => reply(`About ${text}? Ask for a quote.`),
});
