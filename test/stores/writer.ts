import { GenerationConflict } from "../../src/stores/task-store.js";
import { created, wrote } from "../task-log/entries.js";
import { openStore } from "./open-store.js";
import { scope } from "./scope.js";

/**
 * A process that appends to tasks as fast as it can, says what was acknowledged, and stops only when it is killed:
 * `writer.ts URL NAME TASK...`. It prints `TASK GENERATION NAME` for each append.
 */
const [url = "", name = "", ...ids] = process.argv.slice(2);
const store = await openStore(url);
await Promise.all(ids.map(write));

async function write(id: string): Promise<never> {
  let generation = (await store.load(scope, id))?.generation ?? 0;
  for (;;) {
    const next = generation + 1;
    const entry =
      generation === 0 ? created({ id }) : wrote({ artifactId: name, parts: [{ text: `${next}` }] }, {}, id);
    try {
      generation = await store.append(scope, id, generation, [entry]);
      process.stdout.write(`${id} ${generation} ${name}\n`);
    } catch (error) {
      if (!(error instanceof GenerationConflict)) throw error;
      generation = error.current;
    }
  }
}
