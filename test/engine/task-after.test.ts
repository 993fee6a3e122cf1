import assert from "node:assert/strict";
import { test } from "vitest";
import {
  A2AError,
  artifact,
  completed,
  defineAgent,
  inputRequired,
  reply,
  working,
} from "../../src/index.js";
import { collect, type Peer, plainCard, text } from "../support/peer.js";
import { type ClockedAgent, idleExecutor, onClock, serveClocked, type Work } from "./clocked-agent.js";
import { started } from "./two-nodes.js";

type Json = any;

/** Sends a message without waiting, to an executor that gives nothing, and gives the task that the server makes. */
async function sendNow(
  peer: Peer,
  { clock, begun }: { clock: ClockedAgent["clock"]; begun: Promise<unknown> },
) {
  const answer = peer.call("SendMessage", text("go", started));
  await begun;
  clock.advance(100);
  const { task } = (await answer).result;
  assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
  return task;
}

/** The task when it has ended. */
async function ended(peer: Peer, id: string): Promise<Json> {
  await collect(peer.stream("SubscribeToTask", { id })).catch(() => undefined);
  return (await peer.call("GetTask", { id })).result;
}

onClock(
  "EXEC-02, EXEC-03: a caller who does not wait gets a task after `taskAfter`, and can list, follow and cancel it",
  async (peer, { clock, rest, begun, go }) => {
    const answer = peer.call("SendMessage", text("go", started));
    await begun;
    clock.advance(99);
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
    clock.advance(1);
    const { task } = (await answer).result;
    assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
    assert.equal(task.history[0].parts[0].text, "go");
    const { tasks } = (await peer.call("ListTasks", { status: "TASK_STATE_SUBMITTED" })).result;
    assert.deepEqual(
      tasks.map(({ id }: Json) => id),
      [task.id],
    );
    const stream = rest.stream("SubscribeToTask", { id: task.id });
    assert.equal((await stream.next()).value?.data.task.status.state, "TASK_STATE_SUBMITTED");
    const { result: canceled } = await peer.call("CancelTask", { id: task.id });
    assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
    assert.equal((await begun).signal.aborted, true);
    const [last] = await collect(stream);
    assert.equal(last?.data.statusUpdate.status.state, "TASK_STATE_CANCELED");
    // What the executor still gives is of no use.
    go(async () => reply("too late"));
    assert.deepEqual((await peer.call("GetTask", { id: task.id })).result, canceled);
  },
);

/** What the executor does once the server has made the task, and how the task ends. */
const ends: Record<string, [work: Work, state: string, words?: RegExp]> = {
  "a reply completes it": [async () => reply("here"), "COMPLETED", /^here$/],
  "a yielded reply completes it": [
    async function* () {
      yield reply("here");
    },
    "COMPLETED",
    /^here$/,
  ],
  "a silent end completes it": [async () => undefined, "COMPLETED"],
  "a refusal rejects it, with its text": [
    async () => {
      throw new A2AError("UNSUPPORTED_OPERATION", "Not on Sundays");
    },
    "REJECTED",
    /^Not on Sundays$/,
  ],
  "an error of the agent that is meant for the caller fails it, with its text": [
    async () => {
      throw new A2AError("INTERNAL_ERROR", "The oven is cold");
    },
    "FAILED",
    /^The oven is cold$/,
  ],
  "any other error fails it without a word of the error": [
    async () => {
      throw new Error("secret detail");
    },
    "FAILED",
    /internal error\.$/,
  ],
  "updates go on with it": [
    async function* () {
      yield working("on it");
      yield artifact({ name: "result" }).text("done");
    },
    "COMPLETED",
  ],
  "a message after an update is refused, as ever": [
    async function* () {
      yield working("on it");
      return reply("and more");
    },
    "FAILED",
    /internal error\.$/,
  ],
  "an update after a message is refused, as ever": [
    async function* () {
      yield reply("here");
      yield working("on it");
    },
    "FAILED",
    /^Invalid agent response$/,
  ],
};

for (const [what, [work, state, words]] of Object.entries(ends)) {
  onClock(`EXEC-03, OP-SEND-17, OP-SEND-18: of a task that the server made, ${what}`, async (peer, idle) => {
    const { id } = await sendNow(peer, idle);
    idle.go(work);
    const { status, history, artifacts } = await ended(peer, id);
    assert.equal(status.state, `TASK_STATE_${state}`);
    if (words === undefined) assert.equal(status.message, undefined);
    else {
      const { role, taskId, parts } = status.message;
      assert.deepEqual([role, taskId], ["ROLE_AGENT", id]);
      assert.match(parts[0].text, words);
    }
    assert.doesNotMatch(JSON.stringify([status, history]), /secret/);
    if (what.startsWith("updates")) assert.equal(artifacts[0].parts[0].text, "done");
  });
}

onClock("EXEC-03: what is ready in time is the answer, and no timer is left", async (peer, { clock, go }) => {
  const timers = clock.timers;
  go(async ({ text }) => reply(text));
  const { result } = await peer.call("SendMessage", text("here", started));
  assert.equal(result.message.parts[0].text, "here");
  assert.equal(clock.timers, timers);
  assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
});

onClock(
  "OP-STREAM-11, EXEC-01: neither a stream nor a caller who waits gets a task by time, and no timer is set for them",
  async (peer, { clock, begun, go }) => {
    const stream = collect(peer.stream("SendStreamingMessage", text("stream", started)));
    await begun;
    const waiting = peer.call("SendMessage", text("wait"));
    assert.equal(clock.timers, 0);
    clock.advance(3_600_000);
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
    go(async ({ text }) => reply(text));
    assert.equal((await waiting).result.message.parts[0].text, "wait");
    assert.equal((await stream)[0]?.data.message.parts[0].text, "stream");
  },
);

for (const more of [{ taskAfter: Number.POSITIVE_INFINITY }, { tasks: "never", taskAfter: 1 }] as const) {
  onClock(
    `EXEC-03: the executor is waited for with ${JSON.stringify(more)}`,
    async (peer, { clock, begun, go }) => {
      const answer = peer.call("SendMessage", text("go", started));
      await begun;
      assert.equal(clock.timers, 0);
      clock.advance(3_600_000);
      go(async () => reply("at last"));
      assert.equal((await answer).result.message.parts[0].text, "at last");
    },
    more,
  );
}

onClock(
  "EXEC-02: taskAfter says how long an executor may take",
  async (peer, { clock, begun }) => {
    const answer = peer.call("SendMessage", text("go", started));
    await begun;
    clock.advance(0);
    assert.equal((await answer).result.task.status.state, "TASK_STATE_SUBMITTED");
  },
  { taskAfter: 0 },
);

onClock(
  "TASK-12: a reply to one message does not end a task that has another message waiting; its own reply does",
  async (peer, idle) => {
    const { id } = await sendNow(peer, idle);
    const more = peer.call("SendMessage", text("second", { message: { taskId: id } }));
    while ((await peer.call("GetTask", { id })).result.history.length < 2);
    idle.go(async ({ text }) => reply(`to ${text}`));
    const { task } = (await more).result;
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(task.status.message.parts[0].text, "to second");
    assert.deepEqual(
      task.history.map(({ parts }: Json) => parts[0].text),
      ["go", "second", "to go"],
    );
  },
);

onClock("TASK-09: a task that the server made may ask, and the caller answers it", async (peer, idle) => {
  const { id } = await sendNow(peer, idle);
  const seen: unknown[] = [];
  idle.go(async function* ({ task }) {
    seen.push(task?.id);
    if (task === undefined) yield inputRequired("Which?");
    else yield completed();
  });
  while ((await peer.call("GetTask", { id })).result.status.state !== "TASK_STATE_INPUT_REQUIRED");
  const { task } = (await peer.call("SendMessage", text("this", { message: { taskId: id } }))).result;
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(seen, [undefined, id]);
});

onClock(
  "IDEM-03: a message that is repeated without waiting makes the task of the first one, which waits",
  async (peer, { clock, begun, go, runs }) => {
    const message = { messageId: "same" };
    const first = peer.call("SendMessage", text("go", { message }));
    await begun;
    assert.equal(clock.timers, 1);
    const second = peer.call("SendMessage", text("go", { message, ...started }));
    while (clock.timers < 2) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(100);
    const { task } = (await second).result;
    assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
    go(async () => reply("here"));
    const { result } = await first;
    assert.equal(result.task.id, task.id);
    assert.equal(result.task.status.message.parts[0].text, "here");
    const third = await peer.call("SendMessage", text("go", { message, ...started }));
    assert.deepEqual(third.result.task, result.task);
    assert.equal(runs(), 1);
  },
  { idempotentSends: true },
);

test("EXEC-02: a server that stops leaves the task as it is, and refuses a caller who has got nothing", async (t) => {
  const { execute, begun, go, runs } = idleExecutor();
  const { clock, rpc, rest, stop } = await serveClocked(t, { execute });
  const { id } = await sendNow(rpc, { clock, begun });
  const waiting = rest.call("SendMessage", text("go"));
  while (runs() < 2) await new Promise((resolve) => setImmediate(resolve));
  await stop();
  go(async () => undefined);
  const { error, response } = await waiting;
  assert.deepEqual([error, response.status], ["UNAVAILABLE", 503]);
  assert.equal((await rpc.call("GetTask", { id })).result.status.state, "TASK_STATE_SUBMITTED");
});

test("values that the options cannot have are refused by name", () => {
  const { execute } = idleExecutor();
  for (const taskAfter of [-1, Number.NaN, "100", null])
    assert.throws(
      () => defineAgent({ card: plainCard, execute, taskAfter } as never),
      /`taskAfter` must be a number of milliseconds/,
    );
  assert.throws(
    () => defineAgent({ card: plainCard, execute, tasks: "sometimes" } as never),
    /`tasks` must be one of auto, always, never/,
  );
});
