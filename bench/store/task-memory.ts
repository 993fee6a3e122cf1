import { MemoryStore } from "../../src/stores/memory.js";
import type { LogEntry } from "../../src/stores/task-store.js";

/**
 * Bytes of heap for a finished small task: a user's message, one artifact, its status; everything the store keeps for it
 * included. Run with `node --expose-gc --import tsx bench/store/task-memory.ts [tasks]`.
 */
const count = Number(process.argv[2] ?? 20_000);
const scope = { agent: "agent", tenant: "", owner: "" };

/** Entries as from the wire: every string is separate, and objects have the shapes that a parser creates. */
function entries(taskId: string, contextId: string): LogEntry[] {
  const at = new Date().toISOString();
  const text = JSON.stringify([
    {
      event: {
        task: {
          id: taskId,
          contextId,
          status: { state: "TASK_STATE_WORKING", timestamp: at },
          history: [
            {
              messageId: crypto.randomUUID(),
              role: "ROLE_USER",
              parts: [{ text: "task" }],
              taskId,
              contextId,
            },
          ],
        },
      },
    },
    {
      event: {
        artifactUpdate: {
          taskId,
          contextId,
          artifact: { artifactId: crypto.randomUUID(), parts: [{ text: "done" }] },
        },
      },
    },
    {
      event: {
        statusUpdate: { taskId, contextId, status: { state: "TASK_STATE_COMPLETED", timestamp: at } },
      },
    },
  ]);
  // One string per id, as in a server, where the same id is in all events of its task.
  return JSON.parse(text, (_, value) =>
    value === taskId ? taskId : value === contextId ? contextId : value,
  );
}

function flat(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

async function heap(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

const unbounded = { maxBytes: Number.POSITIVE_INFINITY, maxBytesPerOwner: Number.POSITIVE_INFINITY };

async function measure(name: string, store: MemoryStore, then: () => Promise<void> = async () => undefined) {
  const before = await heap();
  for (let index = 0; index < count; index += 1) {
    const taskId = flat(crypto.randomUUID());
    const [first, ...rest] = entries(taskId, flat(crypto.randomUUID()));
    await store.append(scope, taskId, 0, first === undefined ? [] : [first]);
    for (const [offset, entry] of rest.entries()) await store.append(scope, taskId, offset + 1, [entry]);
  }
  await then();
  const bytes = (await heap()) - before;
  console.log(name.padEnd(48), Math.round(bytes / count), "counted as", Math.round(store.bytes() / count));
  store.clear();
}

for (let round = 0; round < 2; round += 1) {
  await measure("compacted", new MemoryStore({ ...unbounded, graceLogs: 0 }));
  await measure("as configured by default", new MemoryStore(unbounded));
  await measure("all in the grace period", new MemoryStore({ ...unbounded, graceLogs: count }));
  const listed = new MemoryStore(unbounded);
  await measure("by default, listed and listed by context", listed, async () => {
    await listed.list(scope, { pageSize: 50 });
    await listed.list(scope, { pageSize: 50, contextId: "none" });
  });
}
