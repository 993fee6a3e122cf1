import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, inputRequired } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
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
