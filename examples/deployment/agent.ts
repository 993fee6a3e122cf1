import { setTimeout as sleep } from "node:timers/promises";
import { artifact, completed, defineAgent, working } from "a2a-parley";

/** Counts slowly, so that a restart finds it at work. After a restart it goes on after the last number that is stored. */
export const agent = defineAgent({
  card: { name: "Counter", description: "Counts to ten, or to the number that you send." },
  attempts: 3,
  async *execute({ text, task, signal }) {
    yield working();
    const stored = task?.artifacts?.[0]?.parts ?? [];
    const numbers = artifact({ artifactId: "numbers", name: "numbers" });
    // The first chunk replaces what an earlier run has stored, so it repeats that.
    if (stored.length > 0) yield numbers.parts(stored);
    for (let count = stored.length + 1; count <= (Number(text) || 10); count += 1) {
      await sleep(200, undefined, { signal });
      yield numbers.text(`${count}\n`);
    }
    yield completed();
  },
});
