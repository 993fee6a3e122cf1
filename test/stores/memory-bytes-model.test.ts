import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { MemoryStore } from "../../src/stores/memory.js";
import type { Scope } from "../../src/stores/task-store.js";
import { registration } from "../../src/testing/store-contract/opened-store.js";
import { wrote } from "../task-log/entries.js";
import { at, end, finish, KIB, lease, make, open, text } from "./bounded-memory.js";
import type { ManualClock } from "./manual-clock.js";

/** One thing that happens to a store. */
type Step = { readonly what: number; readonly owner: number; readonly task: number; readonly kib: number };

test("whatever happens: no bound is passed, and nothing is counted that is not there", async () => {
  const step = fc.record({
    what: fc.nat({ max: 9 }),
    owner: fc.nat({ max: 2 }),
    task: fc.nat({ max: 5 }),
    kib: fc.nat({ max: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const ttl = { TASK_STATE_COMPLETED: 1e6, TASK_STATE_WORKING: 1e6, TASK_STATE_FAILED: 1e6 };
      const { store, clock } = make({ maxBytes: 64 * KIB, maxBytesPerOwner: 40 * KIB, graceLogs: 2, ttl });
      for (const one of steps) {
        await attempt(store, clock, one);
        // Each end of a task may be beyond it.
        assert.ok(store.bytes() <= 64 * KIB + 18 * 2048);
        const each = [0, 1, 2].map((owner) => store.bytes(`${owner}`));
        assert.ok(Math.max(...each) <= 40 * KIB + 6 * 2048);
        assert.equal(each[0]! + each[1]! + each[2]!, store.bytes());
      }
      // Two lives: stuck tasks fail first.
      clock.advance(1e6 + 1000);
      clock.advance(1e6 + 1000);
      clock.advance(24 * 3600 * 1000);
      for (const owner of [0, 1, 2]) await sweepConfigsAndSends(store, at(`${owner}`));
      assert.deepEqual([store.size(), store.configs(), store.bytes()], [0, 0, 0]);
    }),
    { numRuns: 60 },
  );
});

async function attempt(
  store: MemoryStore,
  clock: ManualClock,
  { what, owner, task, kib }: Step,
): Promise<void> {
  const scope = at(`${owner}`);
  const id = `t${task}`;
  const { generation = 0 } = (await store.load(scope, id)) ?? {};
  const { config, ...rest } = registration(`${kib}`);
  const steps: (() => Promise<unknown>)[] = [
    () => open(store, scope, id, kib),
    () => finish(store, scope, id, kib),
    () => store.append(scope, id, generation, [wrote(text(kib), {}, id)]),
    () => store.append(scope, id, generation, [wrote(text(kib), { append: true }, id)]),
    () => end(store, scope, id),
    () =>
      store.saveConfig(scope, { ...rest, config: { ...config, taskId: id, token: "x".repeat(kib * 100) } }),
    () => store.deleteConfig(scope, id, config.id),
    () => store.claimSend(scope, `${kib}`, "f", lease),
    () => store.settleSend(scope, `${kib}`, { taskId: id, generation: 1 }),
    async () => clock.advance(kib * 10_000),
  ];
  await steps[what]?.().catch(() => undefined);
}

/** Removes configs whose task never came, and has sends that are too old be forgotten. */
async function sweepConfigsAndSends(store: MemoryStore, scope: Scope): Promise<void> {
  for (const { config } of await store.listConfigs(scope))
    await store.deleteConfig(scope, config.taskId, config.id);
  await store.claimSend(scope, "last", "f", lease);
  await store.releaseSend(scope, "last");
}
