import type { OpenSubject, Subject } from "./subject.js";

/** Figures of a store. */
export interface Findings {
  readonly [what: string]: number | undefined;
}

const TEXT = "0123456789".repeat(20);
const TASKS = 100;
const EVENTS = 50;
const ALONE = 300;
const CALLS = 100;
/** Milliseconds for all lists of one kind. */
const LISTING = 5000;

const at = (index: number) => new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString();

/** Appends to one task, and to a hundred tasks at the same time, each waiting for its own. */
export async function appends(subject: Subject): Promise<Findings> {
  const store = await subject.open();
  const before = (await store.bytes?.()) ?? 0;
  await store.create("alone");
  const alone = await times(ALONE, () => store.append("alone", TEXT));
  const ids = Array.from({ length: TASKS }, (_, index) => `task-${index}`);
  await Promise.all(ids.map((id) => store.create(id)));
  const cpu = process.cpuUsage();
  const start = performance.now();
  const together = (await Promise.all(ids.map((id) => times(EVENTS, () => store.append(id, TEXT))))).flat();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const written = (await store.bytes?.()) ?? 0;
  await store.close();
  const events = 1 + ALONE + TASKS * (EVENTS + 1);
  return {
    "one task: appends/s": 1000 / mean(alone),
    "one task: p99 ms": quantile(alone, 0.99),
    "100 tasks: appends/s": together.length / seconds,
    "100 tasks: p50 ms": quantile(together, 0.5),
    "100 tasks: p99 ms": quantile(together, 0.99),
    "100 tasks: µs of CPU per append": (user + system) / together.length,
    "bytes on disk per event": written > 0 ? (written - before) / events : undefined,
  };
}

/** An artifact in many chunks: the cost of the last tenth compared with the first. */
export async function longArtifact(subject: Subject): Promise<Findings> {
  const store = await subject.open();
  await store.create("long");
  const costs = await times(subject.chunks, () => store.append("long", TEXT.slice(0, 32)));
  await store.close();
  const tenth = subject.chunks / 10;
  const [first, last] = [mean(costs.slice(0, tenth)), mean(costs.slice(-tenth))];
  return {
    chunks: subject.chunks,
    "all chunks: s": sum(costs) / 1000,
    "last tenth / first tenth": last / first,
  };
}

/** A page of 50 from an increasing number of tasks. */
export async function lists(subject: Subject, totals: readonly number[]): Promise<Findings> {
  const store = await subject.open();
  const found: Record<string, number> = {};
  let count = 0;
  for (const total of totals) {
    await fill(store, count, total);
    count = total;
    const size = await store.list();
    if (size !== total) throw new Error(`${subject.name} lists ${size} of ${total} tasks`);
    const name = `${total.toLocaleString("en")} tasks`;
    found[`page of 50 from ${name}: ms`] = quantile(await times(CALLS, () => store.list(), LISTING), 0.5);
    found[`page from the middle of ${name}: ms`] = quantile(
      await times(CALLS, () => store.list(at(total / 2)), LISTING),
      0.5,
    );
  }
  await store.close();
  return found;
}

async function fill(store: OpenSubject, from: number, to: number): Promise<void> {
  if (from === 0) await store.put("task-0", at(0));
  const first = Math.max(from, 1);
  if (store.fill !== undefined) return store.fill(first, to);
  for (let index = first; index < to; index += 500) {
    const some = Array.from({ length: Math.min(500, to - index) }, (_, offset) => index + offset);
    await Promise.all(some.map((number) => store.put(`task-${number}`, at(number))));
  }
}

/** Milliseconds for each of some calls, one after the other; fewer calls if they take longer than a time limit. */
async function times(
  count: number,
  call: () => Promise<unknown>,
  most = Number.POSITIVE_INFINITY,
): Promise<number[]> {
  const found: number[] = [];
  const begin = performance.now();
  for (let index = 0; index < count && performance.now() - begin < most; index += 1) {
    const start = performance.now();
    await call();
    found.push(performance.now() - start);
  }
  return found;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
