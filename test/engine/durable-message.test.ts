import assert from "node:assert/strict";
import { test } from "vitest";
import { inputRequired, textOf, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { text } from "../support/peer.js";
import { ClockedEngine, turns } from "./clocked-engine.js";

/** A store whose appends wait until the test lets them through. */
class HeldStore extends MemoryStore {
  /** Appends that wait; undefined while all pass. */
  stopped: (() => void)[] | undefined;

  override async append(...of: Parameters<MemoryStore["append"]>): Promise<number> {
    if (this.stopped !== undefined) await new Promise<void>((resolve) => this.stopped?.push(resolve));
    return super.append(...of);
  }

  /** Lets the first append that waits through. */
  async pass(): Promise<void> {
    this.stopped?.shift()?.();
    await turns();
  }
}

test("a message that arrives while the question before it is stored is durable before the executor gets it", async () => {
  const store = new HeldStore();
  const histories: string[][] = [];
  const node = new ClockedEngine(store, async function* ({ task, text: said }) {
    histories.push((task?.history ?? []).map(({ parts }) => textOf({ parts })));
    if (said === "go") yield working();
    // What follows is appended by itself.
    await turns(1);
    yield inputRequired("And now?");
  });
  store.stopped = [];
  const begun = node.begin("go");
  await turns();
  await store.pass();
  const { id } = await begun;
  // The question is with the store, and its answer comes.
  assert.equal(store.stopped.length, 1);
  const answered = node.engine.sendMessage(
    text("on", { message: { taskId: id }, configuration: { returnImmediately: true } }) as never,
    node.call,
  );
  await turns();
  await store.pass();
  assert.equal(store.stopped.length, 1);
  assert.equal(histories.length, 1);
  await store.pass();
  assert.deepEqual(histories[1]?.at(-1), "on");
  const rest = store.stopped;
  store.stopped = undefined;
  for (const pass of rest) pass();
  await answered;
  await node.engine.close();
});
