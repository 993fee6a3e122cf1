import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openStore } from "../../test/stores/open-store.js";
import { backings } from "./backing.js";
import { cancels } from "./cancels.js";
import { DrillNodes } from "./nodes.js";
import { outages } from "./outages.js";
import { DrillTask } from "./task.js";
import { judge, pathOf } from "./verdict.js";
import { Webhooks } from "./webhooks.js";

/**
 * The crash drill: `npm run drill`, `npm run drill -- --store sqlite --nodes 1`. Tasks stream while processes are killed; then the
 * logs, the readers and the webhooks are compared. With `--swallow 10` no process is killed: between each node and PostgreSQL is a
 * proxy, and one after the other swallows all bytes for that many seconds. With `--store postgres` it needs PostgreSQL on the
 * machine.
 */
const { values } = parseArgs({
  options: {
    store: { type: "string", default: "postgres" },
    seconds: { type: "string", default: "120" },
    tasks: { type: "string", default: "200" },
    nodes: { type: "string", default: "3" },
    swallow: { type: "string", default: "0" },
  },
});
const [seconds, count, size] = [Number(values.seconds), Number(values.tasks), Number(values.nodes)];
const swallowed = Number(values.swallow);
if (swallowed > 0 && values.store !== "postgres") throw new Error("--swallow is for --store postgres");
/** Seconds that tasks may take after the last kill, and webhooks after the end of their tasks. */
const [LAST, BEHIND] = [120, 60];
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const open = backings[values.store];
if (open === undefined)
  throw new Error(`--store ${values.store}: one of ${Object.keys(backings).join(", ")}`);
const backing = await open();
const store = await openStore(backing.address, { grace: 3_600_000 });
const webhooks = await Webhooks.open();
const nodes = new DrillNodes(backing.address, swallowed > 0);
for (let index = 0; index < size; index += 1) await nodes.start();
print(`cancel of a task on ${size > 1 ? "another node" : "the node"}: ${await cancels(nodes, size, 60)}`);

const tasks = Array.from({ length: count }, () => new DrillTask(nodes));
const begin = performance.now();
const reading = Promise.all(
  tasks.map(async (task, index) => {
    await setTimeout((index / count) * seconds * 300);
    const pieces = 10 + Math.floor(Math.random() * 40);
    await task.run(`${pieces} ${Math.floor((seconds * 500) / pieces)}`, webhooks.url(pathOf(index)));
  }),
);
const cut = swallowed > 0 ? await outages(nodes, swallowed, begin + seconds * 1000) : undefined;
const restarts = cut ? 0 : await trouble();
await Promise.race([reading, setTimeout(LAST * 1000)]);
const scene = { store, tasks, webhooks, killed: nodes.killed };
let verdict = await judge(scene);
for (let waited = 0; waited < BEHIND && verdict.faults.length > 0; waited += 5) {
  await setTimeout(5000);
  verdict = await judge(scene);
}
const { takenOver, lost } = verdict;
const faults = [...verdict.faults, ...(cut ? [...cut.faults, ...nodes.runs.overlaps()] : [])];
print(
  `${count} tasks on ${size} ${values.store} nodes for ${seconds} s: ${nodes.killed.size} killed, ${restarts} restarts of the database`,
);
print(
  `${tasks.reduce((sum, { cuts }) => sum + cuts, 0)} streams cut; tasks begun again: ${takenOver} whose process was killed, ${lost} whose lease ran out`,
);
if (cut !== undefined) {
  const times = cut.recoveries.map((time) => time.toFixed(1)).join(", ");
  print(
    `${cut.recoveries.length} outages of ${swallowed} s; the node did a task again ${times} s after each`,
  );
  print(
    `${nodes.runs.count} runs of executors, ${nodes.runs.overlaps().length} at the same time as another of their task`,
  );
}
for (const fault of faults.slice(0, 20)) print(`FAULT ${fault}`);
print(faults.length === 0 ? "Nothing was lost, doubled or out of order." : `${faults.length} faults`);
await nodes.killAll();
await store.close();
if (faults.length === 0) backing.remove?.();
else if (backing.remove) print(`The store is left as it is: ${backing.address}`);
process.exit(faults.length === 0 ? 0 : 1);

/** Kills a node every few seconds, and restarts the database once. Returns the number of restarts. */
async function trouble(): Promise<number> {
  let restarts = 0;
  const starting: Promise<unknown>[] = [];
  while (performance.now() - begin < seconds * 1000) {
    await setTimeout(3000 + Math.random() * 3000);
    const victim = nodes.any();
    if (victim !== undefined) {
      await nodes.kill(victim);
      starting.push(nodes.start());
    }
    if (restarts === 0 && backing.restart && performance.now() - begin > seconds * 500) {
      const start = performance.now();
      backing.restart();
      print(`the database was away for ${((performance.now() - start) / 1000).toFixed(1)} s`);
      restarts += 1;
    }
  }
  await Promise.all(starting);
  return restarts;
}
