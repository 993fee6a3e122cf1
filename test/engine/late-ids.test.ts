import assert from "node:assert/strict";
import { test } from "vitest";
import { type AgentDefinition, reply, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { text } from "../support/peer.js";
import { ClockedEngine, turns } from "./clocked-engine.js";

/** An engine that counts the ids it creates. */
function counting(execute: AgentDefinition["execute"]) {
  const ids: string[] = [];
  const newId = () => {
    ids.push(`id ${ids.length + 1}`);
    return ids.at(-1) as string;
  };
  return { ids, node: new ClockedEngine(new MemoryStore(), execute, { newId }) };
}

test("a message that is answered with a message gets no task id", async () => {
  const { ids, node } = counting(async () => reply("hello"));
  const { message } = await node.engine.sendMessage(text("hi") as never, node.call);
  assert.deepEqual([message?.contextId, message?.messageId], ids);
  await node.engine.close();
});

test("a task is found by the id that its executor has read before it yields", async () => {
  let known: string | undefined;
  const { ids, node } = counting(async function* ({ taskId, signal }) {
    known = taskId;
    assert.equal(known, ids.at(-1));
    yield working();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const sent = node.engine.sendMessage(text("go") as never, node.call);
  await turns();
  const canceled = await node.engine.cancelTask({ id: String(known) }, node.call);
  assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
  assert.equal((await sent).task?.id, known);
  await node.engine.close();
});

test("an executor whose task has no id is told to stop, and waited for", async () => {
  const happened: string[] = [];
  const { node } = counting(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    happened.push("stopped");
    return reply("late");
  });
  const sent = node.engine.sendMessage(text("go") as never, node.call);
  await turns();
  const idle = node.engine.idle().then(() => happened.push("idle"));
  await turns();
  assert.deepEqual(happened, []);
  await node.engine.close();
  await idle;
  assert.deepEqual(happened, ["stopped", "idle"]);
  assert.deepEqual((await sent).message?.parts, [{ text: "late" }]);
});
