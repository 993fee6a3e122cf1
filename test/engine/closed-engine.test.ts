import assert from "node:assert/strict";
import { test } from "vitest";
import { inputRequired, working } from "../../src/index.js";
import { ExecutorSlots } from "../../src/server/executor-slots.js";
import { resolveLimits } from "../../src/server/limits.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { text } from "../support/peer.js";
import { ClockedEngine, turns } from "./clocked-engine.js";

for (const [what, member] of Object.entries({ "new task": "referenceTaskIds", "waiting task": "taskId" })) {
  test(`a message for a ${what} that is still being checked when the engine closes is refused and not executed`, async () => {
    const store = new MemoryStore();
    const runs: string[] = [];
    const node = new ClockedEngine(store, async function* ({ text: said }) {
      runs.push(said);
      yield inputRequired("And now?");
    });
    const { id } = await node.begin("first");
    const before = await store.load({ agent: "", tenant: "", owner: "" }, id);
    const { open, opened } = gate();
    const load = store.load.bind(store);
    store.load = async (...of) => {
      await opened;
      return load(...of);
    };
    const message = { [member]: member === "taskId" ? id : [id] };
    const sent = node.engine.sendMessage(text("late", { message }) as never, node.call);
    const refused = assert.rejects(sent, { code: "UNAVAILABLE" });
    await turns();
    await node.engine.close();
    open();
    await refused;
    assert.deepEqual(runs, ["first"]);
    assert.equal((await load({ agent: "", tenant: "", owner: "" }, id))?.generation, before?.generation);
  });
}

test("a message that gets its slot after the engine has closed is refused, and frees the slot", async () => {
  const slots = new ExecutorSlots(resolveLimits({ tasks: 1, queue: 1 }));
  const { open, opened } = gate();
  const runs: string[] = [];
  const execute = async function* ({ text: said }: { readonly text: string }) {
    runs.push(said);
    yield working();
    await opened;
  };
  const node = new ClockedEngine(new MemoryStore(), execute, { executorLimiter: slots });
  await node.begin("first");
  const refused = assert.rejects(node.begin("late"), { code: "UNAVAILABLE" });
  await turns();
  assert.equal(slots.waiting, 1);
  await node.engine.close();
  open();
  await refused;
  await node.engine.idle();
  assert.deepEqual(runs, ["first"]);
  assert.equal(slots.size, 0);
});
