import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Random } from "../random.js";
import { type Vitals, WatchedProcess } from "../watched-target.js";
import { hangUp } from "./connection.js";
import { makeTrouble } from "./trouble.js";
import { type Tally, Worker } from "./worker.js";

/**
 * Many streams at once for a minute, with connections that drop, cancels, follow-ups and second readers; the server runs in its own
 * process. At the end nothing may be lost, out of order or left over, and the heap must not have grown. Then each class of trouble for some
 * seconds, each for a server with a small heap: see {@link makeTrouble}.
 *
 *   npm run soak -- --seed 1 --seconds 60 --streams 500 --trouble 20
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seconds: { type: "string" },
    streams: { type: "string" },
    trouble: { type: "string" },
  },
});
const seed = Number(values.seed ?? 1);
const seconds = Number(values.seconds ?? 60);
const streams = Number(values.streams ?? 500);
/** Seconds for each class of trouble. */
const troubleSeconds = Number(values.trouble ?? 20);
/** Seconds between two measurements of the heap. */
const SAMPLE_SECONDS = 4;
/** Maximum growth of the heap from the first half of a run to the second. */
const [GROWTH, SLACK_BYTES] = [0.1, 2 * 1024 * 1024];
/** Seconds within which the callers start, one after the other. */
const ARRIVAL_SECONDS = 5;
/** Seconds within which everything must be released. */
const SETTLE_SECONDS = 40;

const tally: Tally = {
  ...{
    tasks: 0,
    events: 0,
    drops: 0,
    cancels: 0,
    followUps: 0,
    subscribers: 0,
    open: 0,
    mostOpen: 0,
    late: 0,
  },
  faults: [],
};
const samples: number[] = [];
const server = await WatchedProcess.start(new URL("target.ts", import.meta.url));

async function sample(until: number): Promise<void> {
  while (performance.now() < until) {
    await sleep(SAMPLE_SECONDS * 1000);
    if (performance.now() < until) samples.push(await server.heap());
  }
}

/** The state of the server when it has released everything, or when its time for that is over. */
async function settled(before: Vitals): Promise<Vitals> {
  const end = performance.now() + SETTLE_SECONDS * 1000;
  for (;;) {
    const after = await server.vitals();
    if (leftovers(before, after).length === 0 || performance.now() > end) return after;
    await sleep(1000);
  }
}

function leftovers(before: Vitals, after: Vitals): string[] {
  const counts = { tasks: after.tasks, waiting: after.waiting, ...after.objects };
  const had: Record<string, number> = { tasks: 0, waiting: 0, ...before.objects };
  return Object.entries(counts).flatMap(([name, count]) =>
    count > (had[name] ?? 0) ? [`${count} ${name} left, ${had[name] ?? 0} before`] : [],
  );
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);

function checkHeap(): string {
  // During the first samples the heap is still filling.
  const steady = samples.slice(Math.ceil(samples.length / 4));
  const [first, second] = [steady.slice(0, steady.length >> 1), steady.slice(steady.length >> 1)].map(median);
  if (steady.length >= 4 && (second ?? 0) > (first ?? 0) * (1 + GROWTH) + SLACK_BYTES) {
    tally.faults.push(`the heap grows: ${megabytes(first ?? 0)} MiB, then ${megabytes(second ?? 0)} MiB`);
  }
  return `${megabytes(first ?? 0)} MiB in the first half, ${megabytes(second ?? 0)} MiB in the second`;
}

/** The state of the server when its first task is gone. The timer for executors that take too long is created once, and belongs to no task. */
async function afterFirstTask(): Promise<Vitals> {
  await new Worker(server.port, "JSONRPC", new Random(seed), tally).run(performance.now() + 1);
  hangUp();
  for (;;) {
    const vitals = await server.vitals();
    if (vitals.tasks === 0) return vitals;
    await sleep(1000);
  }
}

try {
  const before = await afterFirstTask();
  const start = performance.now();
  const until = start + seconds * 1000;
  const sampling = sample(until);
  const workers = Array.from(
    { length: streams },
    (_, index) =>
      new Worker(
        server.port,
        index % 2 === 0 ? "JSONRPC" : "HTTP+JSON",
        new Random(seed * 10_000 + index),
        tally,
      ),
  );
  const pause = (ARRIVAL_SECONDS * 1000) / streams;
  await Promise.all(workers.map((worker, index) => sleep(index * pause).then(() => worker.run(until))));
  await sampling;
  const elapsed = (performance.now() - start) / 1000;
  hangUp();
  const after = await settled(before);
  tally.faults.push(...leftovers(before, after));
  console.log(`seed ${seed}, ${elapsed.toFixed(1)} s, ${tally.mostOpen} streams at once`);
  console.log(
    `${tally.tasks} tasks, ${tally.events} events (${Math.round(tally.events / elapsed)} a second)`,
  );
  console.log(
    `${tally.drops} dropped connections, ${tally.cancels} cancels, ${tally.followUps} follow-ups, ${tally.subscribers} second readers`,
  );
  if (tally.late > 0)
    console.log(
      `${tally.late} tasks were gone before their caller got through: this machine is busy, try --streams`,
    );
  console.log(
    `heap under load: ${checkHeap()}; ${megabytes(before.heap)} MiB before, ${megabytes(after.heap)} MiB after`,
  );
  console.log(`left behind: ${JSON.stringify(after.objects)}, before: ${JSON.stringify(before.objects)}`);
} catch (error) {
  tally.faults.push(`${error}`);
} finally {
  if (server.death !== undefined) tally.faults.push(server.death);
  await server.stop();
}
if (troubleSeconds > 0) {
  const lines = await makeTrouble(troubleSeconds, seed, (fault) => tally.faults.push(fault));
  for (const line of lines) console.log(line);
}
for (const fault of tally.faults.slice(0, 20)) console.error(`FAULT (--seed ${seed}): ${fault}`);
console.log(tally.faults.length === 0 ? "No faults." : `${tally.faults.length} faults.`);
process.exitCode = tally.faults.length === 0 ? 0 : 1;
