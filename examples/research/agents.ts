import { artifact, defineAgent, working } from "a2a-parley";
import type { Model } from "./model.js";

/** An agent that has a model speak in a role. What the model says is streamed as it comes. */
function speaker(model: Model, name: string, role: string) {
  return defineAgent({
    card: { name, description: `Speaks as ${role}.` },
    async *execute({ text, signal }) {
      yield working(`${name} is thinking`);
      const answer = artifact({ name: "answer" });
      for await (const token of model({ role, text, signal })) yield answer.text(token);
    },
  });
}

/** Two researchers who see things differently, and one who judges between them. */
export function agents(model: Model) {
  return {
    "/optimist": speaker(model, "Optimist", "a researcher who looks for what is promising"),
    "/sceptic": speaker(model, "Sceptic", "a researcher who looks for what can go wrong"),
    "/evaluator": speaker(model, "Evaluator", "an editor who says which of two answers is better, and why"),
  };
}
