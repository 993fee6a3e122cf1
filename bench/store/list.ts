import { MemoryStore } from "../../src/stores/memory.js";
import type { TaskQuery } from "../../src/stores/task-store.js";

/** A page of 50 out of 1,000 and out of 100,000 tasks: the cost must not grow with the total. */
const CALLS = 200;
const ROUNDS = 41;
const scope = { agent: "", tenant: "", owner: "" };
const at = (milliseconds: number) => new Date(Date.UTC(2025, 0, 1) + milliseconds).toISOString();

async function filled(count: number): Promise<MemoryStore> {
  const store = new MemoryStore({
    maxBytes: Number.POSITIVE_INFINITY,
    maxBytesPerOwner: Number.POSITIVE_INFINITY,
  });
  for (let index = 0; index < count; index += 1) {
    const id = `task-${index}`;
    const contextId = index % (count / 100) === 0 ? "hundred" : `context-${index}`;
    const status = { state: "TASK_STATE_COMPLETED" as const, timestamp: at(index) };
    await store.append(scope, id, 0, [{ event: { task: { id, contextId, status } } }]);
  }
  return store;
}

/** Microseconds for a call. */
async function perCall(store: MemoryStore, query: TaskQuery): Promise<number> {
  const start = process.hrtime.bigint();
  for (let call = 0; call < CALLS; call += 1) await store.list(scope, query);
  return Number(process.hrtime.bigint() - start) / CALLS / 1000;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

const queries: Record<string, TaskQuery> = {
  "first page": { pageSize: 50 },
  "page in the middle": { pageSize: 50, position: { timestamp: at(500), taskId: "task" } },
  "one context": { pageSize: 50, contextId: "hundred" },
  "one state, since": { pageSize: 50, status: "TASK_STATE_COMPLETED", statusTimestampAfter: at(200) },
};

const [small, large] = [await filled(1000), await filled(100_000)];
for (const [name, query] of Object.entries(queries)) {
  const start = process.hrtime.bigint();
  await large.list(scope, query);
  const first = Number(process.hrtime.bigint() - start) / 1e6;
  const rounds: [few: number, many: number][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([await perCall(small, query), await perCall(large, query)]);
  }
  const few = median(rounds.map(([time]) => time)).toFixed(1);
  const many = median(rounds.map(([, time]) => time)).toFixed(1);
  const ratio = median(rounds.map(([less, more]) => more / less)).toFixed(2);
  console.log(
    `${name.padEnd(20)} 1,000: ${few} µs   100,000: ${many} µs   ratio ${ratio}   first call ${first.toFixed(1)} ms`,
  );
}
