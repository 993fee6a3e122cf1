import { Cluster } from "./cluster.js";
import type { Bug } from "./truth.js";

/** What came of one seed. */
export interface Simulated {
  readonly seed: number;
  readonly steps: number;
  readonly trace: readonly string[];
  /** What is not as it must be; undefined when everything is. */
  readonly broken: string | undefined;
}

/** Simulates one seed. The same seed does the same each time. */
export async function simulate(seed: number, bug?: Bug): Promise<Simulated> {
  const cluster = new Cluster(seed, bug);
  const { world } = cluster;
  let broken: string | undefined;
  try {
    await cluster.run();
  } catch (error) {
    broken = error instanceof Error ? error.message : String(error);
  }
  return { seed, steps: world.steps, trace: world.trace, broken };
}
