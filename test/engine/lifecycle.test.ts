import assert from "node:assert/strict";
import { test } from "vitest";
import {
  artifact,
  completed,
  type Executor,
  inputRequired,
  type Logger,
  rejected,
  reply,
  submitted,
  UpdateRefused,
  working,
} from "../../src/index.js";
import { gate, onBoth, onJson } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";

/** A logger that keeps what it is told. */
function recorder() {
  const lines: { level: string; facts: any; text: string }[] = [];
  const at = (level: string) => (facts: object, text: string) => void lines.push({ level, facts, text });
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { lines, logger };
}

onBoth(
  "TASK-06, TASK-07: the executor's first act sets the first state; without one the task begins SUBMITTED",
  async function* ({ text }) {
    if (text === "artifact") yield artifact().text("x");
    if (text === "working") yield working();
    if (text === "submitted") yield submitted();
    if (text === "rejected") yield rejected("no");
    else yield completed();
  },
  async (peer) => {
    const first = async (words: string) => {
      const [opening] = await collect(peer.stream("SendStreamingMessage", text(words)));
      return opening?.data.task.status.state;
    };
    assert.equal(await first("artifact"), "TASK_STATE_SUBMITTED");
    assert.equal(await first("working"), "TASK_STATE_WORKING");
    assert.equal(await first("submitted"), "TASK_STATE_SUBMITTED");
    assert.equal(await first("rejected"), "TASK_STATE_REJECTED");
  },
);

test("TASK-03: an event after the end is not stored and is logged", async (t) => {
  const { lines, logger } = recorder();
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield completed();
      yield artifact().text("late");
    },
    { logger },
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  const { result: task } = await rpc.call("GetTask", { id: result.task.id });
  assert.equal("artifacts" in task, false);
  assert.equal(lines.filter(({ text }) => text.includes("after the end of the task")).length, 1);
});

test("TASK-04, TASK-05, TASK-01: a forbidden step throws where it was yielded, and a caught one harms nothing", async (t) => {
  const caught: unknown[] = [];
  const state = (name: string) => ({ statusUpdate: { status: { state: `TASK_STATE_${name}` as any } } });
  const { rpc } = await serveExecutor(t, async function* () {
    yield working();
    for (const wrong of [
      state("SUBMITTED"),
      state("UNSPECIFIED"),
      state("ASLEEP"),
      {} as any,
      artifact().parts([]),
    ]) {
      try {
        yield wrong;
      } catch (error) {
        caught.push(error);
      }
    }
    yield completed();
  });
  const { result } = await rpc.call("SendMessage", text("go"));
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  assert.equal("artifacts" in result.task, false);
  assert.equal(caught.length, 5);
  for (const error of caught) assert.ok(error instanceof UpdateRefused);
  assert.match((caught[4] as Error).message, /artifactUpdate\.artifact\.parts/);
});

onBoth(
  "OP-SEND-18: an update with two of the three members is refused, so that none of them is lost",
  async function* ({ text }) {
    const update = text === "reply" ? reply("no") : artifact().text("kept?");
    yield { ...working(), ...update };
  },
  async (peer) => {
    for (const words of ["reply", "artifact"])
      assert.equal((await peer.call("SendMessage", text(words))).error, "INVALID_AGENT_RESPONSE", words);
    assert.equal((await peer.call("ListTasks", {})).result.tasks.length, 0);
  },
);

test("TASK-05, TASK-06: a task cannot begin in UNSPECIFIED or an unknown state, and the refusals say so", async (t) => {
  const refusals: string[] = [];
  const { rpc } = await serveExecutor(t, async function* ({ text: words }) {
    for (const name of ["UNSPECIFIED", "ASLEEP"]) {
      try {
        yield { statusUpdate: { status: { state: `TASK_STATE_${name}` as any } } };
      } catch (error) {
        assert.ok(error instanceof UpdateRefused);
        refusals.push(error.message);
        if (words === "throw") throw error;
      }
    }
    yield completed();
  });
  const { result } = await rpc.call("SendMessage", text("catch"));
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  const begin = "statusUpdate.status.state: a task cannot begin in";
  assert.deepEqual(refusals, [`${begin} TASK_STATE_UNSPECIFIED`, `${begin} TASK_STATE_ASLEEP`]);
  assert.equal((await rpc.call("SendMessage", text("throw"))).error, "INVALID_AGENT_RESPONSE");
  assert.equal((await rpc.call("ListTasks", {})).result.tasks.length, 1);
});

onBoth(
  "TASK-05, OBJ-06: what an executor yields is checked before it is stored; not caught, it fails the task",
  async function* ({ text }) {
    yield working();
    if (text === "part") yield artifact().parts([{ text: "a", url: "b" } as any]);
    else yield { statusUpdate: { status: { state: "TASK_STATE_SUBMITTED" } } };
  },
  async (peer) => {
    for (const words of ["part", "state"]) {
      const { result } = await peer.call("SendMessage", text(words));
      assert.equal(result.task.status.state, "TASK_STATE_FAILED");
      assert.equal("artifacts" in result.task, false);
    }
  },
);

onBoth(
  "TASK-09, TASK-10, TASK-17: a question is an agent's message with all its ids",
  async function* () {
    yield inputRequired("Which?");
  },
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("go"))).result;
    const { message } = task.status;
    assert.equal(message.role, "ROLE_AGENT");
    assert.ok(message.messageId);
    assert.equal(message.taskId, task.id);
    assert.equal(message.contextId, task.contextId);
    assert.equal(message.parts[0].text, "Which?");
  },
);

test("TASK-11, TASK-12, TASK-13, HIST-11: a message to a working task goes into history at once and waits for the next run", async (t) => {
  const proceed = gate();
  const runs: string[] = [];
  const execute: Executor = async function* ({ text }) {
    runs.push(text);
    yield working(`doing ${text}`);
    if (text === "first") await proceed.opened;
    if (text === "second") yield completed();
  };
  const { rpc, rest } = await serveExecutor(t, execute);
  const { result } = await rpc.call(
    "SendMessage",
    text("first", { configuration: { returnImmediately: true } }),
  );
  const follow = text("second", {
    message: { taskId: result.task.id },
    configuration: { returnImmediately: true },
  });
  const taken = await rest.call("SendMessage", follow);
  assert.deepEqual(
    taken.result.task.history.map((message: any) => message.parts[0].text),
    ["first", "doing first", "second"],
  );
  assert.deepEqual(runs, ["first"]);
  const stream = rpc.stream("SubscribeToTask", { id: result.task.id });
  await stream.next();
  proceed.open();
  await collect(stream);
  assert.deepEqual(runs, ["first", "second"]);
});

test("TASK-12: an agent may refuse messages while it works", async (t) => {
  const proceed = gate();
  const { rpc } = await serveExecutor(
    t,
    async function* ({ task }) {
      yield working();
      await proceed.opened;
      if (task) yield completed();
      else yield inputRequired("?");
    },
    {},
    { followUps: "refuse" },
  );
  const { result } = await rpc.call(
    "SendMessage",
    text("go", { configuration: { returnImmediately: true } }),
  );
  const follow = () => rpc.call("SendMessage", text("more", { message: { taskId: result.task.id } }));
  const stream = rpc.stream("SubscribeToTask", { id: result.task.id });
  await stream.next();
  assert.equal((await follow()).error, "UNSUPPORTED_OPERATION");
  proceed.open();
  await stream.next();
  assert.equal((await follow()).result.task.status.state, "TASK_STATE_COMPLETED");
});

onBoth(
  "TASK-14, JSONV-10, JSONV-11, JSONV-12: each change of state has its time, in UTC with milliseconds",
  async function* () {
    yield working();
    await new Promise((resolve) => setTimeout(resolve, 5));
    yield completed();
  },
  async (peer) => {
    const began = Date.now();
    const frames = await collect(peer.stream("SendStreamingMessage", text("go")));
    const stamps = frames.map(({ data }) => (data.task ?? data.statusUpdate).status.timestamp);
    for (const stamp of stamps) assert.match(stamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const [first = 0, second = 0] = stamps.map(Date.parse);
    assert.ok(first >= began - 1 && second > first && second <= Date.now() + 1);
  },
);

test("TASK-15, TASK-16, TURN-14, TURN-19: tasks of one context run side by side, and a refinement is a new one", async (t) => {
  const proceed = gate();
  const { rpc } = await serveExecutor(t, async function* ({ contextId }) {
    yield working(contextId);
    await proceed.opened;
    yield completed();
  });
  const started = { configuration: { returnImmediately: true }, message: { contextId: "talk-1" } };
  const [a, b] = await Promise.all([
    rpc.call("SendMessage", text("a", started)),
    rpc.call("SendMessage", text("b", started)),
  ]);
  assert.notEqual(a?.result.task.id, b?.result.task.id);
  const { result: list } = await rpc.call("ListTasks", { contextId: "talk-1", status: "TASK_STATE_WORKING" });
  assert.equal(list.totalSize, 2);
  proceed.open();
});

onBoth(
  "EXT-16: enum values that the protocol does not have stay out of its objects",
  async function* () {
    yield artifact().text("x");
    try {
      yield { statusUpdate: { status: { state: "TASK_STATE_PAUSED" as any } } };
    } catch {
      yield completed();
    }
  },
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("go"))).result;
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  },
);

onJson(
  "SEC-11: what a caller sends is data: it comes back as it was and gets into no header and no log",
  async ({ message }) => ({ message: { parts: message.parts } }),
  async (peer) => {
    const hostile = "<script>alert(1)</script>\r\nSet-Cookie: a=b\u0000${7*7}{{7*7}}\u001b[31m";
    const sent = text(hostile, { message: { contextId: hostile } });
    const { result, response } = await peer.call("SendMessage", sent);
    assert.equal(result.message.parts[0].text, hostile);
    assert.equal(result.message.contextId, hostile);
    assert.equal(response.headers.get("set-cookie"), null);
    assert.match(response.headers.get("content-type") ?? "", /json/);
    assert.doesNotMatch([...response.headers].join(), /script|\{\{/);
  },
);
