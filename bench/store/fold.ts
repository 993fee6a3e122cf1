import { MemoryStore } from "../../src/stores/memory.js";
import { TaskFold } from "../../src/task-log/fold.js";
import type { LogEntry } from "../../src/task-log/log.js";

/**
 * One artifact in 10,000 chunks: does the last quarter of them cost more than the first? Once through the fold alone, once
 * through the memory store, where each append is checked, frozen, tagged and kept.
 */
const CHUNKS = 10_000;
const ROUNDS = 21;
const ids = { taskId: "task", contextId: "context" };
const scope = { agent: "", tenant: "", owner: "" };

const first = (): LogEntry => ({
  event: { task: { id: ids.taskId, contextId: ids.contextId, status: { state: "TASK_STATE_WORKING" } } },
});

const chunk = (index: number): LogEntry => ({
  event: {
    artifactUpdate: {
      ...ids,
      artifact: { artifactId: "artifact", parts: [{ text: `${index}`.padStart(32, "0") }] },
      append: index > 0,
    },
  },
});

/** Nanoseconds for each quarter of the chunks. */
async function quarters(take: (entry: LogEntry, index: number) => unknown): Promise<number[]> {
  const chunks = Array.from({ length: CHUNKS }, (_, index) => chunk(index));
  const times: number[] = [];
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const start = process.hrtime.bigint();
    for (let index = (quarter * CHUNKS) / 4; index < ((quarter + 1) * CHUNKS) / 4; index += 1) {
      await take(chunks[index] ?? first(), index);
    }
    times.push(Number(process.hrtime.bigint() - start));
  }
  return times;
}

const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

async function measure(name: string, make: () => Promise<(entry: LogEntry, index: number) => unknown>) {
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await quarters(await make()));
  const ratio = median(rounds.map((times) => (times[3] ?? 0) / (times[0] ?? 1)));
  const each = median(rounds.map((times) => times.reduce((sum, time) => sum + time, 0))) / CHUNKS;
  console.log(`${name.padEnd(28)} last quarter / first ${ratio.toFixed(2)}   ${Math.round(each)} ns a chunk`);
}

await measure("fold", async () => {
  const fold = new TaskFold();
  fold.apply(first());
  return (entry) => fold.apply(entry);
});

await measure("memory store", async () => {
  const store = new MemoryStore({
    maxBytes: Number.POSITIVE_INFINITY,
    maxBytesPerOwner: Number.POSITIVE_INFINITY,
  });
  await store.append(scope, ids.taskId, 0, [first()]);
  return (entry, index) => store.append(scope, ids.taskId, index + 1, [entry]);
});
