import { setTimeout } from "node:timers/promises";
import { artifact, completed, defineAgent, working } from "a2a-parley";

/** Works for longer than callers hold a connection open. */
export const agent = defineAgent({
  card: { name: "Kiln", description: "Fires pots. Come back later, or leave a webhook." },
  async *execute({ text, signal }) {
    for (const degrees of [400, 900]) {
      yield working(`${degrees} degrees`);
      await setTimeout(20, undefined, { signal });
    }
    yield artifact({ name: "result" }).text(`${text}, fired`);
    yield completed();
  },
});
