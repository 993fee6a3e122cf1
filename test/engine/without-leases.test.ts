import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { completed, inputRequired } from "../../src/index.js";
import { MemoryStore, StoreError } from "../../src/stores/index.js";
import { text } from "../support/peer.js";
import { ClockedEngine, turns } from "./clocked-engine.js";

/** A store that answers the first append, and the next load, when the test says so. */
class AnsweringStore extends MemoryStore {
  answerAppend = (): void => undefined;
  answerLoad = (): void => undefined;
  holdsLoad = false;

  override async append(...of: Parameters<MemoryStore["append"]>): Promise<number> {
    const generation = await super.append(...of);
    if (generation === 1)
      await new Promise<void>((resolve) => {
        this.answerAppend = resolve;
      });
    return generation;
  }

  override async load(...of: Parameters<MemoryStore["load"]>) {
    const snapshot = await super.load(...of);
    if (this.holdsLoad)
      await new Promise<void>((resolve) => {
        this.answerLoad = resolve;
      });
    return snapshot;
  }
}

test("without leases, a message is executed also if it is recorded in the very moment in which the execution ends", async () => {
  for (let steps = 0; steps < 10; steps += 1) {
    const store = new AnsweringStore();
    const runs: string[] = [];
    let id = "";
    const node = new ClockedEngine(
      store,
      async function* ({ text: said, taskId }) {
        runs.push(said);
        id = taskId;
        yield said === "first" ? inputRequired("And now?") : completed();
      },
      { leases: undefined },
    );
    const first = node.begin("first");
    await turns();
    store.holdsLoad = true;
    const configuration = { returnImmediately: true };
    const second = node.engine.sendMessage(
      text("second", { message: { taskId: id }, configuration }) as never,
      node.call,
    );
    await turns();
    store.holdsLoad = false;
    // The message is recorded a few steps after its task was loaded: one of these numbers of steps lets the execution end just then.
    store.answerLoad();
    for (let step = 0; step < steps; step += 1) await undefined;
    store.answerAppend();
    await Promise.all([first, second]);
    await node.engine.idle();
    assert.deepEqual(runs, ["first", "second"], `${steps} steps`);
    assert.equal(await node.state(id), "TASK_STATE_COMPLETED");
  }
});

test("without leases, a task that waits for its caller stays as it is when the store refuses a message", async () => {
  const store = new MemoryStore();
  const node = new ClockedEngine(
    store,
    async function* ({ text: said }) {
      yield said === "first" ? inputRequired("And now?") : completed();
    },
    { leases: undefined },
  );
  const { id } = await node.begin("first");
  await node.engine.idle();
  const send = (words: string) =>
    node.engine.sendMessage(text(words, { message: { taskId: id } }) as never, node.call);
  vi.spyOn(store, "append").mockRejectedValueOnce(new StoreError("entry", "too big"));
  await assert.rejects(send("too big"));
  assert.equal(await node.state(id), "TASK_STATE_INPUT_REQUIRED");
  await send("small");
  assert.equal(await node.state(id), "TASK_STATE_COMPLETED");
});
