import { parseArgs } from "node:util";
import { envelope, hostileBodies } from "../../test/operations/hostile.js";
import { Random } from "../random.js";
import { type Vitals, WatchedProcess } from "../watched-target.js";
import { Canary } from "./canary.js";
import { sendBroken, sendSlowly } from "./connections.js";
import { sendToHooks } from "./hooks.js";
import { type Input, makeInput } from "./inputs.js";
import { judge } from "./judge.js";
import { sendNames } from "./names.js";
import { sendPadded } from "./retained.js";
import { hangUp, send } from "./send.js";
import { slowInputs } from "./slow.js";

/**
 * Sends nonsense to a live server in a process of its own: mutated payloads of every operation over both bindings, hostile
 * bodies, paths and ids, broken and slow connections. Then names of every length to every store, and bodies that are mostly nothing to a
 * server with a small heap, and calls to one whose hooks fail. `--count` and `--seconds` bound the mutated requests; `--seed` repeats a run.
 *
 *   npm run fuzz -- --seed 1 --count 20000 --seconds 60
 */
const { values } = parseArgs({
  options: { seed: { type: "string" }, count: { type: "string" }, seconds: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const count = Number(values.count ?? 20_000);
const seconds = Number(values.seconds ?? 60);
/** Requests at a time. */
const CONCURRENCY = 16;
/** Number of faults that ends a run. */
const MAX_FAULTS = 20;
/** Heap that a task may take, in bytes, plus some for the rest. */
const TASK_BYTES = 16 * 1024;
/** A text of 14 KB is read in a millisecond; one that is read in quadratic time takes more than this. */
const SLOW_TEXT_MS = 1000;
const SLACK_BYTES = 32 * 1024 * 1024;

const faults: string[] = [];
const random = new Random(seed);
const tasks = new Set<string>();
const counts = { sent: 0, refused: 0, answered: 0, cut: 0 };
const codes = new Map<string, number>();

function note(fault: string, input?: Input): void {
  const about =
    input &&
    `${input.binding} ${input.method} ${input.path.slice(0, 200)} ${input.body.toString("latin1").slice(0, 500)}`;
  faults.push(about === undefined ? fault : `${fault}\n    ${about}`);
}

/** Sends one request after the other, up to the limits of the run. */
async function attack(server: WatchedProcess, until: number): Promise<void> {
  while (counts.sent < count && performance.now() < until && faults.length < MAX_FAULTS) {
    const input = makeInput(random, [...tasks].slice(-50));
    counts.sent += 1;
    try {
      const { fault, isRefusal, code = "others", tasks: made } = judge(input, await send(server.port, input));
      if (fault !== undefined) note(fault, input);
      for (const id of made) tasks.add(id);
      if (isRefusal) codes.set(code, (codes.get(code) ?? 0) + 1);
      if (isRefusal) counts.refused += 1;
      else counts.answered += 1;
    } catch {
      counts.cut += 1;
      if (server.death !== undefined) return note(server.death, input);
    }
  }
}

/** Sends every hostile body over both bindings, and checks what remains of it. */
async function sendHostile(server: WatchedProcess): Promise<number> {
  let sent = 0;
  for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
    for (const { name, params, verdict } of hostileBodies()) {
      const before = await server.vitals();
      const headers = { "Content-Type": "application/json", "A2A-Version": "1.0" };
      const outcome = await send(server.port, {
        method: "POST",
        headers,
        ...envelope(binding, params),
      }).catch(() => undefined);
      const after = await server.vitals();
      sent += 1;
      if ((outcome?.status ?? 0) >= 500) note(`${name}: status ${outcome?.status}`);
      if (verdict === "refused" && after.tasks !== before.tasks) note(`${name}: something was stored`);
    }
  }
  return sent;
}

/** Sends paths, queries and ids that are slow to read, one after the other. */
async function sendSlowTexts(server: WatchedProcess): Promise<number> {
  const inputs = slowInputs();
  for (const input of inputs) {
    const outcome = await send(server.port, input).catch(() => undefined);
    if (outcome === undefined) continue;
    const { fault } = judge(input, outcome);
    if (fault !== undefined) note(fault, input);
    if (outcome.time > SLOW_TEXT_MS) note(`the answer took ${Math.round(outcome.time)} ms`, input);
  }
  return inputs.length;
}

function compare(before: Vitals, after: Vitals, shown: number): void {
  const made = after.tasks - before.tasks;
  if (made > shown) note(`${made} tasks were stored, and ${shown} shown to somebody`);
  if (after.configs > 0) note(`${after.configs} webhooks aimed at this machine were stored`);
  const left = { waiting: after.waiting, streams: after.streams, executions: after.executions };
  for (const [name, value] of Object.entries(left)) if (value > 0) note(`${value} ${name} left`);
  const growth = after.heap - before.heap;
  if (growth > SLACK_BYTES + made * TASK_BYTES)
    note(`the heap has grown by ${Math.round(growth / 1024)} KiB for ${made} tasks`);
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

const server = await WatchedProcess.start(new URL("target.ts", import.meta.url));
const start = performance.now();
const slow = sendSlowly(server.port);
try {
  const before = await server.vitals();
  const hostile = await sendHostile(server);
  const slowTexts = await sendSlowTexts(server);
  const canary = new Canary(server.port);
  canary.start();
  // The classes before have no bound in time: they must not leave the mutated requests none.
  const until = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: CONCURRENCY }, () => attack(server, until)));
  if (counts.answered === 0 || counts.refused === 0)
    note(`of ${counts.sent} mutated requests ${counts.answered} were answered and ${counts.refused} refused`);
  const broken = await sendBroken(server.port, random);
  await canary.stop();
  faults.push(...canary.faults.slice(0, MAX_FAULTS));
  const { time, answer } = await slow;
  if (answer !== "" && !answer.startsWith("HTTP/1.1 408")) note(`a slow request got ${answer.slice(0, 100)}`);
  hangUp();
  let after = await server.vitals();
  for (let tries = 0; tries < 50 && after.streams + after.waiting + after.executions > 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    after = await server.vitals();
  }
  // Hostile bodies that are harmless make tasks too; so may a request whose answer was cut off.
  const harmless = hostileBodies().filter(({ verdict }) => verdict === "taken").length * 2;
  compare(before, after, tasks.size + canary.tasks + harmless + counts.cut);
  const elapsed = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`seed ${seed}, ${elapsed} s`);
  console.log(
    `${counts.sent} mutated requests: ${counts.answered} answered, ${counts.refused} refused, ${counts.cut} cut off`,
  );
  const often = [...codes].sort(([, one], [, other]) => other - one);
  console.log(`refusals: ${often.map(([code, times]) => `${code} ${times}`).join(", ")}`);
  console.log(
    `${hostile} hostile bodies, ${broken} broken requests; a byte a second was cut off after ${(time / 1000).toFixed(1)} s`,
  );
  const names = await sendNames(random, note);
  const padded = await sendPadded(random, note);
  const hooked = await sendToHooks(random, note);
  console.log(
    `${slowTexts} slow texts, ${names} names on every store; on a small heap ${padded} padded bodies, ${hooked} calls with failing hooks`,
  );
  console.log(`${canary.calls} plain calls beside them, the slowest ${Math.round(canary.slowest)} ms`);
  console.log(`heap ${megabytes(before.heap)} -> ${megabytes(after.heap)} with ${after.tasks} tasks stored`);
} catch (error) {
  note(`${error}`);
} finally {
  if (server.death !== undefined) note(server.death);
  await server.stop();
}
for (const fault of faults) console.error(`FAULT (--seed ${seed}): ${fault}`);
console.log(faults.length === 0 ? "No faults." : `${faults.length} faults.`);
process.exitCode = faults.length === 0 ? 0 : 1;
