import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test, vi } from "vitest";
import type { Deadlines } from "../../src/async/deadlines.js";
import { A2AError, completed, type Executor, inputRequired, reply, working } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";
import { ClockedEngine, turns } from "./clocked-engine.js";

/** Sends the first message of a task whose id its caller has chosen, as callers of 0.1 do. */
async function begin(url: string, method = "tasks/send", words = "go"): Promise<string> {
  const message = { role: "user", parts: [{ type: "text", text: words }] };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { id: "mine", message } }),
  });
  return response.text();
}

/**
 * Two nodes that have got the first message of one task: the executor `there` has not yielded anything, that of `here` has created the
 * task. `go` lets the one that waits yield; the answer to its message follows.
 */
async function contested(t: TestContext, execute: Executor) {
  const store = new MemoryStore();
  const versions = [protocolVersion, "0.1"] as const;
  const begun = gate();
  const { open, opened } = gate();
  t.onTestFinished(() => open());
  const waiting: Executor = async function* ({ text: said }) {
    if (said === "go") {
      begun.open();
      await opened;
    }
    yield completed(`there: ${said}`);
  };
  const there = await serveExecutor(t, waiting, { store, versions });
  const here = await serveExecutor(t, execute, { store, versions });
  const late = begin(there.url);
  await begun.opened;
  return {
    ...{ here, there },
    async go() {
      open();
      return JSON.parse(await late);
    },
  };
}

test("OP-CANCEL-02: a task that another node has created first can be canceled where its id is still waited for", async (t) => {
  const isAborted = gate();
  const isAtWork = gate();
  const { here, there, go } = await contested(t, async function* ({ signal }) {
    yield working();
    isAtWork.open();
    await once(signal, "abort");
    isAborted.open();
  });
  const stream = begin(here.url, "tasks/sendSubscribe");
  await isAtWork.opened;
  while ((await there.rpc.call("GetTask", { id: "mine" })).error !== undefined);
  const { result, error } = await there.rest.call("CancelTask", { id: "mine" });
  assert.equal(error, undefined);
  assert.equal(result.status.state, "TASK_STATE_CANCELED");
  await isAborted.opened;
  assert.match(await stream, /canceled/);
  assert.equal((await go()).error.code, -32004);
  const again = await there.rpc.call("CancelTask", { id: "mine" });
  assert.equal(again.error, "TASK_NOT_CANCELABLE");
});

test("TASK-09: a task that another node has created first is continued where its id is still waited for", async (t) => {
  const { here, there, go } = await contested(t, async function* () {
    yield inputRequired("Which one?");
  });
  assert.match(await begin(here.url), /input-required/);
  const { result, error } = await there.rpc.call(
    "SendMessage",
    text("this", { message: { taskId: "mine" } }),
  );
  assert.equal(error, undefined);
  assert.equal(result.task.status.message.parts[0].text, "there: this");
  assert.equal((await go()).error.code, -32004);
});

test("TURN-02: a message for it reaches the executor of the other node, if that works on it", async (t) => {
  const { here, there, go } = await contested(t, async function* ({ ask }) {
    const { parts } = yield* ask("Which one?");
    yield completed(`here: ${parts[0]?.text}`);
  });
  assert.match(await begin(here.url), /input-required/);
  const { result, error } = await there.rpc.call(
    "SendMessage",
    text("this", { message: { taskId: "mine" } }),
  );
  assert.equal(error, undefined);
  assert.equal(result.task.status.message.parts[0].text, "here: this");
  assert.equal((await go()).error.code, -32004);
});

test("OP-SEND-17: a message is executed although an earlier one with the same task id is refused", async (t) => {
  const store = new MemoryStore();
  const begun = gate();
  const { open: refuse, opened: refused } = gate();
  const { url } = await serveExecutor(
    t,
    async function* ({ text: said }) {
      if (said === "wrong") {
        begun.open();
        await refused;
        throw new A2AError("INVALID_PARAMS");
      }
      yield completed(`done: ${said}`);
    },
    { store, versions: [protocolVersion, "0.1"] },
  );
  const first = begin(url, "tasks/send", "wrong");
  await begun.opened;
  const load = vi.spyOn(store, "load");
  const others = [begin(url, "tasks/send", "one"), begin(url, "tasks/send", "two")];
  await vi.waitFor(() => assert.equal(load.mock.calls.length, 2));
  await turns();
  refuse();
  assert.equal(JSON.parse(await first).error.code, -32602);
  const answers = (await Promise.all(others)).map((answer) => JSON.parse(answer));
  // One creates the task, and the other one is too late for it.
  const outcomes = answers.map(({ result, error }) => result?.status.state ?? error.code);
  assert.deepEqual(outcomes.map(String).sort(), ["-32004", "completed"]);
});

test("messages with the task id of refused ones take one slot each, one after the other", async () => {
  const acquired: number[] = [];
  let held = 0;
  const executorLimiter = {
    stopTime: Number.POSITIVE_INFINITY,
    acquire() {
      acquired.push(held);
      held += 1;
      const release = () => {
        held -= 1;
      };
      return { release, abandon: () => undefined };
    },
  };
  const runs: string[] = [];
  const { engine, call } = new ClockedEngine(
    new MemoryStore(),
    async function* ({ text: said }) {
      runs.push(said);
      if (said !== "right") throw new A2AError("INVALID_PARAMS");
      yield inputRequired("And now?");
    },
    { executorLimiter } as never,
  );
  const named = { ...call, clientTaskIds: true, tasksOnly: true };
  const wrong = Array.from({ length: 20 }, (_, index) => `wrong ${index}`);
  const outcomes = [...wrong, "right"].map((words) =>
    engine.sendMessage(text(words, { message: { taskId: "mine" } }) as never, named).then(
      ({ task }) => task?.status.state,
      ({ code }) => code,
    ),
  );
  const expected = [...wrong.map(() => "INVALID_PARAMS"), "TASK_STATE_INPUT_REQUIRED"];
  assert.deepEqual(await Promise.all(outcomes), expected);
  assert.deepEqual(runs, [...wrong, "right"]);
  assert.deepEqual(acquired, Array(21).fill(0));
  await engine.close();
});

test("a message is executed although the executor of an earlier one with the same task id ignores the end of its time", async () => {
  const expires: (() => void)[] = [];
  const countdown = (expire: () => void) => {
    expires.push(expire);
    return { begin: () => undefined, end: () => undefined };
  };
  const { open, opened } = gate();
  const answer: Executor = async ({ text: said }) => {
    if (said === "stuck") await opened;
    return reply(`done: ${said}`);
  };
  const execute = Object.assign(answer, { tasks: "never" as const });
  // The engine calls nothing else of the class, whose private members no object literal has.
  const deadlines = { countdown } as unknown as Deadlines;
  const { engine, call } = new ClockedEngine(new MemoryStore(), execute, { deadlines });
  const named = { ...call, clientTaskIds: true, tasksOnly: true };
  const send = (words: string) =>
    engine.sendMessage(text(words, { message: { taskId: "mine" } }) as never, named);
  const stuck = send("stuck");
  await turns();
  const other = send("other");
  await turns();
  expires[0]?.();
  await assert.rejects(stuck, { code: "DEADLINE_EXCEEDED" });
  const { task } = await other;
  assert.equal(task?.status.message?.parts[0]?.text, "done: other");
  open();
  await engine.close();
});
