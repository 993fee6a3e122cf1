import { completed, defineAgent, textOf, working } from "a2a-parley";
import { priorityExtension } from "./generated/extensions.js";
import { skills } from "./generated/skills.js";

/** Yearly premium as a fraction of the value. */
const rates = { bicycle: 0.08, boat: 0.05, house: 0.002 };

/** An insurer with two skills. Its contracts are the JSON Schemas in `schemas/`; the types of everything below follow from them. */
export const insurer = defineAgent({
  card: {
    name: "Insurer",
    description: "Insures things and pays when they break.",
    skills: [
      { id: "quote", name: "Quote", description: "What it costs to insure something.", tags: ["insurance"] },
      { id: "claim", name: "Claim", description: "Files a claim for a damage.", tags: ["insurance"] },
    ],
  },
  extensions: [priorityExtension],
  skills,
  execute: {
    // A function returns the output, which is sent in a single message.
    quote: ({ input: { kind, amount } }) => ({
      premium: Math.round(amount * rates[kind]),
      terms: [{ title: "Excess", limit: 100 }],
    }),

    // A generator has a task, so it can report progress and ask questions.
    async *claim({ input, ask, output, message, call }) {
      const level = priorityExtension.isActive(call) ? priorityExtension.read(message)?.level : undefined;
      yield working(`Looking at policy ${input.policy}${level === 1 ? " at once" : ""}`);
      const amount = Number(textOf(yield* ask("How many euros was it worth?")));
      if (amount > 0) yield output({ decision: "paid", amount: amount - 100 });
      else yield output({ decision: "refused", reason: "No amount was named." });
      yield completed();
    },
  },
});
