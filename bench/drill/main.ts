import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { testServer } from "../../test/support/postgres.js";
import { DrillNodes } from "./nodes.js";
import { DrillTask, frames } from "./task.js";

/** The crash drill: `npm run drill -- --seconds 120 --tasks 200`. It needs PostgreSQL on the machine. */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "120" },
    tasks: { type: "string", default: "200" },
    nodes: { type: "string", default: "3" },
  },
});
const [seconds, count, size] = [Number(values.seconds), Number(values.tasks), Number(values.nodes)];
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const scope = { agent: "", tenant: "", owner: "" };

type Json = any;

/** What tells an event of a task from its others. */
function keyOf({ task, statusUpdate, artifactUpdate }: Json): string {
  if (task) return "task";
  if (artifactUpdate) return artifactUpdate.artifact.parts[0].text;
  return `${statusUpdate.status.state} ${statusUpdate.status.timestamp}`;
}

/** Webhooks: what each has got, in order. */
const received = new Map<string, string[]>();
const hooks = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const keys = received.get(request.url ?? "") ?? [];
  received.set(request.url ?? "", keys);
  keys.push(keyOf(JSON.parse(body)));
  response.end();
});
hooks.listen(0, "127.0.0.1");
await once(hooks, "listening");
const hookUrl = `http://127.0.0.1:${(hooks.address() as AddressInfo).port}`;

const postgres = await testServer();
const database = await postgres.database("drill");
const store = await PostgresStore.open({ url: database, grace: 3_600_000 });
const nodes = new DrillNodes(database);
for (let index = 0; index < size; index += 1) await nodes.start();

print(`cancel of a task on another node: ${await cancels(40)}`);
const tasks = Array.from({ length: count }, () => new DrillTask(nodes));
const begin = performance.now();
const reading = tasks.map(async (task, index) => {
  await setTimeout((index / count) * seconds * 300);
  const pieces = 10 + Math.floor(Math.random() * 40);
  await task.run(`${pieces} ${Math.floor((seconds * 500) / pieces)}`, `${hookUrl}/${index}`);
});
let kills = 0;
let taken = 0;
let isRestarted = false;
while (performance.now() - begin < seconds * 1000) {
  await setTimeout(3000 + Math.random() * 3000);
  const victim = nodes.any();
  if (victim !== undefined) {
    await nodes.kill(victim);
    kills += 1;
    await nodes.start();
  }
  if (!isRestarted && performance.now() - begin > seconds * 500) {
    postgres.restart();
    isRestarted = true;
  }
}
await Promise.race([Promise.all(reading), setTimeout(120_000)]);
const faults = await verdict();
print(
  `${count} tasks on ${size} nodes for ${seconds} s: ${kills} nodes killed, PostgreSQL restarted ${isRestarted ? 1 : 0} times`,
);
print(`${tasks.reduce((sum, { cuts }) => sum + cuts, 0)} streams cut, ${taken} tasks begun again`);
for (const fault of faults.slice(0, 20)) print(`FAULT ${fault}`);
print(faults.length === 0 ? "Nothing was lost, doubled or out of order." : `${faults.length} faults`);
for (const node of [...nodes.alive]) await nodes.kill(node);
await store.close();
process.exit(faults.length === 0 ? 0 : 1);

/** How long it takes from a cancel on one node to the abort of the executor on another. */
async function cancels(rounds: number): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const here = nodes.any(round % size);
    const there = nodes.any((round + 1) % size);
    if (here === undefined || there === undefined) continue;
    const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "1 60000" }] };
    const configuration = { returnImmediately: true };
    const { value } = await frames(here.url, "SendMessage", { message, configuration }).next();
    const { id } = value.data.task;
    const aborted = nodes.aborted(id);
    const start = performance.now();
    await frames(there.url, "CancelTask", { id }).next();
    await aborted;
    times.push(performance.now() - start);
  }
  times.sort((one, other) => one - other);
  const at = (part: number) => `${(times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(1)} ms`;
  return `median ${at(0.5)}, slowest ${at(1)} of ${times.length}`;
}

/** Everything that is not as it must be. */
async function verdict(): Promise<string[]> {
  const all: string[] = [];
  // Webhooks may be a little behind the ends of their tasks.
  await setTimeout(15_000);
  for (const [index, task] of tasks.entries()) {
    const name = `task ${index}`;
    all.push(...task.faults.map((fault) => `${name} ${fault}`));
    if (!task.ended || task.taskId === undefined) {
      all.push(`${name} has not ended`);
      continue;
    }
    const entries = (await store.read(scope, task.taskId, 0)) ?? [];
    if (entries.some(({ generation }, at) => generation !== at + 1)) all.push(`${name} has a gap`);
    const state = entries.at(-1)?.event.statusUpdate?.status.state;
    if (state !== "TASK_STATE_COMPLETED") all.push(`${name} ended as ${state}`);
    const keys = entries.map(({ event }) => keyOf(event));
    let last = "";
    const begun = new Set<string>();
    for (const key of keys.filter((one) => /^\d+ \d+ \d+$/.test(one))) {
      const run = key.slice(0, key.lastIndexOf(" "));
      if (run !== last && begun.has(run)) all.push(`${name}: ${run} went on behind ${last}`);
      begun.add(run);
      last = run;
    }
    if (begun.size > 1) taken += 1;
    let at = -1;
    for (const key of received.get(`/${index}`) ?? []) {
      const place = keys.indexOf(key);
      if (place > at + 1) all.push(`${name}: its webhook got ${place + 1} behind ${at + 1}`);
      at = Math.max(at, place);
    }
    if (at !== keys.length - 1) all.push(`${name}: its webhook is at ${at + 1} of ${keys.length}`);
  }
  return all;
}
