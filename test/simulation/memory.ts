import { MemoryStore } from "../../src/stores/memory.js";
import { type Backing, FOREVER } from "./backing.js";
import { turn, type World } from "./world.js";

/** One store for all nodes, as if it were a server. */
export function memoryBacking(world: World): Backing {
  const store = new MemoryStore({ clock: world, grace: FOREVER, graceLogs: FOREVER });
  return { isEmbedded: false, isSure: true, open: () => store, quiet: turn, close: async () => undefined };
}
