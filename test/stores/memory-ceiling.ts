import { MemoryStore } from "../../src/stores/memory.js";
import type { LogEntry, Scope } from "../../src/stores/task-store.js";
import { registration } from "../../src/testing/store-contract/opened-store.js";

/**
 * Fills memory stores in a process of its own, which Node starts with a small heap and `--expose-gc`, and prints one line of JSON for
 * each: what the store counts and what the heap holds.
 */
const MIB = 2 ** 20;
const at = (owner: string): Scope => ({ agent: "", tenant: "", owner });
const lease = { node: "node", duration: 1e6 };
let ids = 0;

/** Bodies of messages by what they are made of: what a caller can send in a request. */
const shapes: Readonly<Record<string, () => unknown>> = {
  "small texts": () => ({ text: "go" }),
  "long texts": () => ({ text: "x".repeat(200_000) }),
  "texts that take two bytes a character": () => ({ text: "\u6f22".repeat(60_000) }),
  "many short texts": () => ({ data: Array.from({ length: 2000 }, (_, index) => `\u6f22\u5b57 ${index}`) }),
  numbers: () => ({ data: Array.from({ length: 20_000 }, (_, index) => index) }),
  fractions: () => ({ data: Array.from({ length: 5000 }, (_, index) => ({ at: index + 0.5 })) }),
  records: () => ({
    data: Array.from({ length: 1000 }, (_, id) => ({ id, name: `n${id}`, on: true, of: null })),
  }),
  "empty objects": () => ({ data: Array.from({ length: 10_000 }, () => ({})) }),
  "empty lists": () => ({ data: Array.from({ length: 10_000 }, () => []) }),
  "lists in lists": () => ({
    data: Array.from({ length: 300 }, () => JSON.parse("[".repeat(50) + "]".repeat(50))),
  }),
  "names of their own": () => ({
    data: Array.from({ length: 2000 }, (_, index) => ({ [`n${ids}-${index}`]: 1 })),
  }),
  "two names of their own": () => ({
    data: Array.from({ length: 2000 }, (_, index) => ({ [`a${ids}-${index}`]: 1, [`b${ids}-${index}`]: 1 })),
  }),
  "numbers as names": () => ({
    data: Array.from({ length: 2000 }, (_, index) => ({ [`${index % 997}`]: 1 })),
  }),
  "one object of many names": () => ({
    data: Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`n${ids}-${index}`, 1])),
  }),
};

/** Entries as they come from the wire: every text its own. */
function entries(id: string, part: unknown): LogEntry[] {
  const status = { state: "TASK_STATE_WORKING", timestamp: new Date().toISOString() };
  const message = {
    messageId: `m ${id}`,
    role: "ROLE_USER",
    parts: [part],
    taskId: id,
    contextId: `c ${id}`,
  };
  const task = { id, contextId: `c ${id}`, status, history: [message] };
  const statusUpdate = {
    taskId: id,
    contextId: `c ${id}`,
    status: { ...status, state: "TASK_STATE_COMPLETED" },
  };
  return JSON.parse(JSON.stringify([{ event: { task } }, { event: { statusUpdate } }]));
}

async function finish(store: MemoryStore, owner: string, part: unknown): Promise<void> {
  ids += 1;
  const id = `t${ids}`;
  await store.append(at(owner), id, 0, entries(id, part));
}

function heap(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function measure(name: string, store: MemoryStore, fill: () => Promise<void>): Promise<void> {
  const before = heap();
  await fill();
  console.log(JSON.stringify({ name, counted: store.bytes(), held: heap() - before, tasks: store.size() }));
  store.clear();
}

for (const [name, part] of Object.entries(shapes)) {
  const store = new MemoryStore({ maxBytes: 4 * MIB });
  await measure(name, store, async () => {
    // Full, and some more than once.
    for (let full = 0; full < 6; full += store.bytes() > 3.5 * MIB ? 1 : 0) {
      await finish(store, "me", part());
    }
  });
}

const webhooks = new MemoryStore({ maxBytes: 4 * MIB });
await measure("webhooks", webhooks, async () => {
  const { config, ...rest } = registration("a");
  for (let index = 0, isFull = false; !isFull; index += 1) {
    const one = {
      ...config,
      id: `config ${index}`,
      taskId: `task ${index % 100}`,
      token: `${index}`.repeat(20),
    };
    isFull = await webhooks.saveConfig(at("me"), { ...rest, limit: 1e6, ownerLimit: 1e6, config: one }).then(
      () => false,
      () => true,
    );
  }
});

const sends = new MemoryStore({ maxBytes: 4 * MIB });
await measure("sends", sends, async () => {
  for (let index = 0; index < 8_000; index += 1) {
    const key = `message ${index}-1b3f-4c5d-9e7f`;
    await sends.claimSend(at("me"), key, `${index}`.padStart(43, "x"), lease);
    await sends.settleSend(at("me"), key, { taskId: `${index}-1b3f-4c5d-9e7f-0123456789`, generation: 1 });
  }
});

// Somewhat more than the default holds, by five callers.
const full = new MemoryStore();
await measure("all of it at the default bounds", full, async () => {
  const parts = ["long texts", "fractions", "records", "empty lists", "numbers as names"].map(
    (name) => shapes[name],
  );
  for (let index = 0, more = 100; more > 0; index += 1) {
    await finish(full, `${index % 5}`, parts[index % parts.length]?.());
    if (full.bytes() > 126 * MIB) more -= 1;
  }
});
