import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { LongPolls } from "../../src/engine/operations/long-polls.js";
import { TaskLog } from "../../src/engine/task-log.js";
import { MemoryStore } from "../../src/stores/index.js";
import { feedOf } from "../../src/task-log/log-feed.js";
import { turns } from "./clocked-engine.js";

const scope = { agent: "", tenant: "", owner: "" };

/** A store that reads in its own way, so that its readers get no feed. */
class WithoutFeed extends MemoryStore {
  override read(...call: Parameters<MemoryStore["read"]>) {
    return super.read(...call);
  }
}

/** A waiting read of a task whose log has two entries. */
async function pollOf(store: MemoryStore, from: number) {
  const status = { state: "TASK_STATE_WORKING" } as const;
  const entries = [
    { event: { task: { id: "t", contextId: "c", status } } },
    { event: { statusUpdate: { taskId: "t", contextId: "c", status } } },
  ];
  await store.append(scope, "t", 0, entries);
  const polls = new LongPolls(Number.POSITIVE_INFINITY);
  const caller = new AbortController();
  const log = new TaskLog(store, scope, "t");
  return { polls, caller, answered: polls.wait({ log, from, seen: 2, signal: caller.signal }) };
}

for (const [kind, Store] of [
  ["with a feed", MemoryStore],
  ["without a feed", WithoutFeed],
] as const) {
  test(`GEN-05: a waiting read ends at once when its caller goes away while a store ${kind} does not answer`, async () => {
    const store = new Store();
    assert.equal(feedOf(store) !== undefined, kind === "with a feed");
    const read = vi.spyOn(store, "read").mockReturnValue(new Promise(() => undefined));
    const { polls, caller, answered } = await pollOf(store, 1);
    assert.equal(read.mock.calls.length, 1);
    caller.abort();
    assert.equal(polls.size, 0);
    await answered;
  });

  test(`GEN-14: waiting reads that end when the server stops leave nothing in a store ${kind}`, async () => {
    const store = new Store();
    const { polls, answered } = await pollOf(store, 2);
    await turns();
    assert.equal(store.waiting(), 1);
    polls.close();
    await answered;
    assert.equal(store.waiting(), 0);
  });
}

test("GEN-14: a read that begins to wait after the server has begun to stop is answered at once", async () => {
  const store = new MemoryStore();
  const polls = new LongPolls(Number.POSITIVE_INFINITY);
  polls.close();
  const log = new TaskLog(store, scope, "t");
  await polls.wait({ log, from: 0, seen: 2, signal: new AbortController().signal });
  assert.equal(store.waiting(), 0);
});
