import { parseArgs } from "node:util";
import { simulate } from "./simulate.js";

/** Simulates many seeds, or one with its trace: `npm run simulate -- --seeds 2000`, `npm run simulate -- --seed 17`. */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    store: { type: "string", default: "memory" },
    late: { type: "string", default: "0" },
  },
});
const { store } = values;
const lateOpenings = Number(values.late);
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

if (values.seed !== undefined) {
  const { trace, broken } = await simulate(Number(values.seed), { store, lateOpenings });
  for (const line of trace) print(line);
  print(broken === undefined ? "Nothing is broken." : `Broken: ${broken}`);
  process.exitCode = broken === undefined ? 0 : 1;
} else {
  const begin = process.cpuUsage();
  const first = Number(values.from);
  const count = Number(values.seeds);
  let steps = 0;
  const failed: string[] = [];
  for (let seed = first; seed < first + count; seed += 1) {
    const result = await simulate(seed, { store, lateOpenings });
    steps += result.steps;
    if (result.broken === undefined) continue;
    failed.push(`${seed}`);
    print(`Seed ${seed}: ${result.broken}`);
  }
  const { user, system } = process.cpuUsage(begin);
  const seconds = ((user + system) / 1e6).toFixed(1);
  print(`${count} seeds, ${steps} steps, ${seconds} s of CPU, ${failed.length} failed`);
  const [seed] = failed;
  if (seed !== undefined) print(`See what happened: npm run simulate -- --store ${store} --seed ${seed}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
