import { ways } from "../../test/operations/ways.js";
import type { Trouble } from "./trouble.js";

const MIB = 1024 * 1024;
/** The server waits 50 ms for a hook that never settles. */
const LONGEST_MS = 10_000;

/** Hooks that throw, reject, never settle or succeed, at random. Each call must be answered. */
export const hooks: Trouble = {
  name: "hooks that fail",
  program: "bench/fuzz/hooks-server.ts",
  args: (random) => [String(random.below(2 ** 31))],
  concurrency: 8,
  ceiling: { during: 64 * MIB, after: 16 * MIB },
  open: async ({ url }) => ({
    async make(random) {
      const way = random.pick(ways);
      const streaming = random.chance(0.3);
      const response = await fetch(url + way.path[streaming ? "stream" : "send"], {
        method: "POST",
        headers: { "Content-Type": "application/json", ...way.headers },
        body: JSON.stringify(way.body("answer", streaming)),
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      await response.text();
    },
    check: async () => (await fetch(`${url}/healthz`)).ok,
  }),
};
