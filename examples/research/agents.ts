import { artifact, defineAgent, working } from "a2a-parley";
import type { Model } from "./model.js";

/** An agent whose model speaks in a role. The text of the model is streamed as it arrives. */
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

/** Two researchers with different views, and an editor who compares their answers. */
export function agents(model: Model) {
  return {
    "/optimist": speaker(model, "Optimist", "a researcher who looks for what is promising"),
    "/sceptic": speaker(model, "Sceptic", "a researcher who looks for what can go wrong"),
    "/evaluator": speaker(model, "Evaluator", "an editor who says which of two answers is better, and why"),
  };
}
