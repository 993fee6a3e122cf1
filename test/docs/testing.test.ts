import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { artifact, completed, type StreamResponse, working } from "../../src/index.js";
import type { MemoryStore } from "../../src/stores/index.js";
import {
  type RecordedExchange,
  scripted,
  summarize,
  type TestedAgent,
  testAgent,
} from "../../src/testing/index.js";
import { plainCard } from "../support/peer.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/testing.md");

async function names<Names>(name: string): Promise<Names> {
  const block = blocks.find((one) => one.name === name);
  assert.ok(block, `the page has no block ${name}`);
  return (await run(block)) as Names;
}

test("every block of docs/testing.md is run here", () => {
  assert.deepEqual(
    blocks.map(({ name }) => name),
    ["agent", "script", "faults", "recorded", "clock"],
  );
});

test("docs/testing.md, agent and script: the tests pass", async () => {
  await (await names<{ testShouting: () => Promise<void> }>("agent")).testShouting();
  const { testConversation } = await names<{ testConversation: () => Promise<string[]> }>("script");
  assert.deepEqual(await testConversation(), ["choose", "the blue one"]);
});

/** An agent of three events and a moment. */
async function small(t: Pick<TestContext, "onTestFinished">): Promise<TestedAgent> {
  const { execute } = scripted([working(), artifact({ name: "a" }).text("1"), completed()]);
  const tested = await testAgent({ card: plainCard, execute });
  t.onTestFinished(() => tested.close());
  return tested;
}

test("docs/testing.md, faults: a cut stream is continued", async (t) => {
  const { testCut } = await names<{ testCut: (tested: TestedAgent) => Promise<StreamResponse[]> }>("faults");
  const events = summarize(await testCut(await small(t)));
  assert.deepEqual(events, ["task WORKING", "artifact a: 1", "status COMPLETED"]);
});

test("docs/testing.md, recorded: what was recorded is replayed without the agent", async (t) => {
  const { capture, again } = await names<{
    capture: (url: string) => Promise<readonly RecordedExchange[]>;
    again: (url: string, exchanges: readonly RecordedExchange[]) => Promise<string>;
  }>("recorded");
  const tested = await small(t);
  const exchanges = JSON.parse(JSON.stringify(await capture(tested.url)));
  await tested.close();
  assert.equal(await again(tested.url, exchanges), "TASK_STATE_COMPLETED");
});

test("docs/testing.md, clock: a task expires when the clock says so", async () => {
  const { store, expire } = await names<{ store: MemoryStore; expire: () => void }>("clock");
  const scope = { agent: "a", tenant: "", owner: "o" };
  const status = { state: "TASK_STATE_COMPLETED", timestamp: "2025-01-01T00:00:00.000Z" } as const;
  await store.append(scope, "t", 0, [{ event: { task: { id: "t", contextId: "c", status } } }]);
  assert.equal(store.size(), 1);
  expire();
  assert.equal(store.size(), 0);
});
