import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, invalidParams, reply, UpdateRefused, working } from "../../src/index.js";
import type { Telemetry } from "../../src/observability/telemetry.js";
import { silent } from "../../src/protocol/logger.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate, onBoth } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";
import { idleExecutor } from "./clocked-agent.js";
import { started } from "./two-nodes.js";

type Json = any;

const always = { tasks: "always" } as const;
const never = { tasks: "never" } as const;

/** A logger that keeps what it is told of errors. */
function recording() {
  const errors: Json[] = [];
  return { logger: { ...silent, error: (facts: object) => errors.push(facts) }, errors };
}

onBoth(
  "TASK-06: with tasks always made, a stream opens with the task before the executor has given anything",
  async ({ text }) => reply(text),
  async (peer) => {
    const [first, last, ...more] = await collect(peer.stream("SendStreamingMessage", text("here")));
    assert.equal(first?.data.task.status.state, "TASK_STATE_SUBMITTED");
    assert.equal(first?.data.task.history[0].parts[0].text, "here");
    const { state, message } = last?.data.statusUpdate.status ?? {};
    assert.deepEqual([state, message.parts[0].text], ["TASK_STATE_COMPLETED", "here"]);
    assert.deepEqual(more, []);
  },
  always,
);

onBoth(
  "EXEC-01, OP-SEND-08: with tasks always made, a reply is the last word of the task",
  async ({ text, task }) => reply(`${text} ${task === undefined}`),
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("here"))).result;
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(task.status.message.parts[0].text, "here true");
    assert.deepEqual(task.history.length, 1);
    assert.deepEqual((await peer.call("GetTask", { id: task.id })).result, task);
  },
  always,
);

test("EXEC-02: with tasks always made, a caller who does not wait is answered at once", async (t) => {
  for (const binding of ["rpc", "rest"] as const) {
    const { execute, go } = idleExecutor();
    const peer = (await serveExecutor(t, execute, {}, { ...always, taskAfter: 3_600_000 }))[binding];
    const { task } = (await peer.call("SendMessage", text("go", started))).result;
    assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
    go(async () => undefined);
  }
});

onBoth(
  "OP-SEND-17, OP-SEND-18: with tasks always made, a refusal rejects, an error fails and a silent end completes",
  async ({ text }) => {
    if (text === "refuse") throw invalidParams("message.parts[0].text", "must be a number");
    if (text === "fail") throw new Error("secret detail");
  },
  async (peer) => {
    const end = async (words: string) => (await peer.call("SendMessage", text(words))).result.task.status;
    const refused = await end("refuse");
    assert.equal(refused.state, "TASK_STATE_REJECTED");
    assert.equal(refused.message.parts[0].text, "Invalid parameters: message.parts[0].text must be a number");
    const failed = await end("fail");
    assert.equal(failed.state, "TASK_STATE_FAILED");
    assert.doesNotMatch(JSON.stringify(failed), /secret/);
    assert.equal((await end("nothing")).state, "TASK_STATE_COMPLETED");
  },
  always,
);

test("OP-CANCEL-06: a task that is canceled before its executor is called does not call it", async (t) => {
  const stored = gate();
  class HeldStore extends MemoryStore {
    override async append(...call: Parameters<MemoryStore["append"]>) {
      const generation = await super.append(...call);
      await stored.opened;
      return generation;
    }
  }
  const asked = gate();
  const { execute, runs } = idleExecutor();
  const more = { ...always, cancel: () => asked.open() };
  const { rpc, rest } = await serveExecutor(t, execute, { store: new HeldStore() }, more);
  const ended = collect(rpc.stream("SendStreamingMessage", text("go")));
  let id: string | undefined;
  while (id === undefined) id = (await rest.call("ListTasks")).result.tasks[0]?.id;
  const canceled = rest.call("CancelTask", { id });
  await asked.opened;
  await new Promise((resolve) => setImmediate(resolve));
  stored.open();
  assert.equal((await canceled).result.status.state, "TASK_STATE_CANCELED");
  await ended;
  assert.equal(runs(), 0);
});

onBoth(
  "OP-SEND-08: an agent that makes no tasks answers with its reply, and may not give anything else",
  async function* ({ text }) {
    if (text === "here") return reply(text);
    if (text === "throw") throw new Error("secret detail");
    try {
      yield text === "status" ? working() : artifact().text("a");
    } catch (refused) {
      assert.ok(refused instanceof UpdateRefused);
      return reply(refused.message);
    }
    return undefined;
  },
  async (peer) => {
    const said = async (words: string) => peer.call("SendMessage", text(words, started));
    assert.equal((await said("here")).result.message.parts[0].text, "here");
    for (const words of ["status", "artifact"])
      assert.match((await said(words)).result.message.parts[0].text, /creates no tasks \(`tasks: "never"`\)/);
    const { error, message } = await said("throw");
    assert.equal(error, "INTERNAL_ERROR");
    assert.doesNotMatch(message ?? "", /secret/);
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
  },
  never,
);

test("OP-SEND-17: an agent that makes no tasks and throws is logged, once", async (t) => {
  const { logger, errors } = recording();
  const { rpc } = await serveExecutor(t, () => Promise.reject(new Error("disk on fire")), { logger }, never);
  assert.equal((await rpc.call("SendMessage", text("go"))).error, "INTERNAL_ERROR");
  assert.deepEqual(
    errors.map(({ err }) => err.message),
    ["disk on fire"],
  );
});

onBoth(
  "SEC-08: the time of an executor that makes no tasks is over with an error",
  ({ signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  async (peer) => {
    const { error, response, message } = await peer.call("SendMessage", text("go"));
    assert.deepEqual([error, response.status], ["DEADLINE_EXCEEDED", 504]);
    assert.match(message ?? "", /did not finish within its time limit/);
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
  },
  never,
  { limits: { workTime: 0.05 } },
);

test("the way in which an executor makes tasks holds for the agent unless its definition says otherwise", async (t) => {
  const execute = Object.assign(async () => reply("here"), { tasks: "always" } as const);
  const nothing = () => undefined;
  const span = {
    trace: undefined,
    run: <Result>(body: () => Result) => body(),
    annotate: nothing,
    end: nothing,
  };
  const telemetry: Telemetry = { begin: () => span, count: nothing, time: nothing, observe: () => nothing };
  for (const [more, options, kind] of [
    [{}, {}, "task"],
    [{}, { telemetry }, "task"],
    [{ tasks: "auto" }, {}, "message"],
  ] as const) {
    const { rpc } = await serveExecutor(t, execute, options, more);
    assert.deepEqual(Object.keys((await rpc.call("SendMessage", text("go"))).result), [kind]);
  }
});

test("the first draft, which knows no messages as answers, gets a completed task from every kind of agent", async (t) => {
  for (const tasks of ["auto", "always", "never"] as const) {
    const { url } = await serveExecutor(
      t,
      async () => reply("here"),
      { versions: ["1.0", "0.1"] },
      { tasks },
    );
    const message = { role: "user", parts: [{ type: "text", text: "go" }] };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tasks/send",
      params: { id: "mine", message },
    });
    const headers = { "Content-Type": "application/json" };
    const { result } = (await (await fetch(url, { method: "POST", headers, body })).json()) as Json;
    assert.deepEqual([result.id, result.status.state], ["mine", "completed"], tasks);
    assert.equal(result.status.message.parts[0].text, "here");
  }
});
