import type { Backing } from "./backing.js";
import { Cluster } from "./cluster.js";
import { memoryBacking } from "./memory.js";
import { sqliteBacking } from "./sqlite.js";
import type { Bug } from "./truth.js";
import { World } from "./world.js";

/** What came of one seed. */
export interface Simulated {
  readonly seed: number;
  readonly steps: number;
  readonly trace: readonly string[];
  /** What is not as it must be; undefined when everything is. */
  readonly broken: string | undefined;
}

/** The stores that can be simulated, by name. */
const backings: Readonly<Record<string, (world: World) => Backing | Promise<Backing>>> = {
  memory: memoryBacking,
  sqlite: sqliteBacking,
  postgres: async (world) => (await import("./postgres.js")).postgresBacking(world),
};

/** What is simulated. */
export interface Setting {
  /** The store behind the nodes; the one in memory unless given. */
  readonly store?: string;
  readonly bug?: Bug;
  /** How often the store makes a task late; never unless given. */
  readonly lateOpenings?: number;
}

/** Simulates one seed. The same seed does the same each time, unless the store is a server with a mind of its own. */
export async function simulate(seed: number, setting: Setting = {}): Promise<Simulated> {
  const { store = "memory", bug, lateOpenings = 0 } = setting;
  const world = new World(seed);
  world.lateOpenings = lateOpenings;
  const open = backings[store];
  if (open === undefined) throw new Error(`No store ${store}: one of ${Object.keys(backings).join(", ")}`);
  const backing = await open(world);
  world.quiet = () => backing.quiet();
  let broken: string | undefined;
  try {
    await new Cluster(world, backing, bug).run();
  } catch (error) {
    broken = error instanceof Error ? error.message : String(error);
  }
  await backing.close();
  return { seed, steps: world.steps, trace: world.trace, broken };
}
