import { defineAgent, reply, skill, textOf, working } from "a2a-parley";
import { claimShapes, quoteShapes } from "./shapes.js";

/** Yearly premium in parts of the worth. */
const rates = { bicycle: 0.08, boat: 0.05, house: 0.002 };

/** A function gives its output: the answer is one message with it. */
const quote = skill({
  ...quoteShapes,
  name: "Quote",
  description: "What it costs to insure something.",
  tags: ["insurance"],
  // `since` is sent as text and arrives as a Date, as the schema says.
  execute: ({ input: { kind, amount, since } }) => ({
    premium: Math.round(amount * rates[kind]),
    until: `${since.getUTCFullYear() + 1}-12-31`,
  }),
});

/** A generator has a task: it can tell of its progress, and ask. */
const claim = skill({
  ...claimShapes,
  name: "Claim",
  description: "Asks for money after a damage.",
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
