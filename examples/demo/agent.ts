import { setTimeout } from "node:timers/promises";
import { artifact, completed, defineAgent, inputRequired, working } from "a2a-parley";

const days = [
  "Arrive, drop the bags, walk to the river.",
  "A museum before noon, a long lunch after it.",
  "Market, coffee, train.",
];

/** Plans a weekend: asks for the city when it is not told, then hands over the plan while it is being written. */
export const planner = defineAgent({
  card: {
    name: "Weekend planner",
    description: "Plans a weekend in the city of your choice.",
    version: "1.0.0",
    skills: [{ id: "plan", name: "Plan a weekend", description: "A plan for three days.", tags: ["travel"] }],
  },
  async *execute({ text, task, signal }) {
    const city = /\bin (\p{Lu}\p{L}+)/u.exec(text)?.[1] ?? (task && text.trim());
    if (!city) {
      yield inputRequired("Which city?");
      return;
    }
    yield working(`Looking at ${city}`);
    const plan = artifact({ name: "plan", description: `A weekend in ${city}` });
    for (const [index, day] of days.entries()) {
      await setTimeout(300, undefined, { signal });
      yield plan.text(`Day ${index + 1}: ${day}\n`, { last: index === days.length - 1 });
    }
    yield completed();
  },
});
