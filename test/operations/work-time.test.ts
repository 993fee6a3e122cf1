import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { test, vi } from "vitest";
import { type Countdown, Deadlines } from "../../src/async/deadlines.js";
import { Inbox, type QueuedMessage } from "../../src/engine/execution/inbox.js";
import { completed, type ExecutionContext, inputRequired, reply, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { notebook } from "../server/scripted-agent.js";
import { onBoth } from "../support/both.js";
import { collect, plainCard, serveFor, text } from "../support/peer.js";

const limits = { workTime: 0.05 };

/** Waits for the signal, as work that takes too long does. */
const cutOff = (signal: AbortSignal) => once(signal, "abort");

onBoth(
  "SEC-08: an executor that takes too long fails its task in words for the caller, and its signal aborts",
  async function* ({ signal }) {
    yield working("on it");
    await cutOff(signal);
    yield completed("nobody sees this");
  },
  async (peer) => {
    const frames = await collect(peer.stream("SendStreamingMessage", text("go")));
    const { status } = frames.at(-1)?.data.statusUpdate ?? {};
    assert.equal(status.state, "TASK_STATE_FAILED");
    assert.match(status.message.parts[0].text, /did not finish within its time limit/);
    assert.ok(!JSON.stringify(frames).includes("nobody sees this"));
  },
  {},
  { limits },
);

onBoth(
  "SEC-08: an executor that has shown nothing yet makes a failed task when its time is over",
  async ({ signal }) => {
    await cutOff(signal);
    return reply("too late");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    assert.equal(result.task.status.state, "TASK_STATE_FAILED");
    assert.equal(result.task.history[0].parts[0].text, "go");
  },
  {},
  { limits },
);

onBoth(
  "SEC-08: the time that a caller takes to answer does not count, and an answer begins it anew",
  async function* ({ ask }) {
    const answer = yield* ask("What?");
    yield completed(answer.parts[0]?.text ?? "");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    await sleep(600);
    const answer = text("that", { message: { taskId: result.task.id } });
    const { result: done } = await peer.call("SendMessage", answer);
    assert.equal(done.task.status.state, "TASK_STATE_COMPLETED");
  },
  {},
  { limits: { workTime: 0.4 } },
);

test("SEC-08: an executor that asked and was answered can still take too long", async (t) => {
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ ask, signal }) {
        yield* ask("What?");
        await cutOff(signal);
      },
    },
    { limits },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  const answer = text("that", { message: { taskId: result.task.id } });
  const { result: done } = await server.rpc.call("SendMessage", answer);
  assert.equal(done.task.status.state, "TASK_STATE_FAILED");
});

/** An inbox, and the calls of its countdown. */
function timedInbox() {
  const calls: string[] = [];
  const countdown = { begin: () => calls.push("begin"), end: () => calls.push("end") };
  // The class has private members, and an inbox calls only these two methods.
  return { calls, inbox: new Inbox(countdown as unknown as Countdown) };
}

function queued(message: object): QueuedMessage {
  // Of the invocation, an inbox reads only the message and the hold, which is absent here.
  return { invocation: { message }, generation: () => 2 } as unknown as QueuedMessage;
}

test("SEC-08: a message that was queued has the whole time, as one that the executor waits for", async () => {
  const { calls, inbox } = timedInbox();
  const run = {};
  inbox.beginRun(run);
  const { message } = text("more");
  inbox.put(queued(message));
  assert.equal(await inbox.next(run, new AbortController().signal), message);
  assert.deepEqual(calls, ["begin", "begin"]);
});

test("SEC-08: an executor that withdraws its call for a message can still take too long", async (t) => {
  const agent = {
    card: plainCard,
    async *execute({ nextMessage, signal }: ExecutionContext) {
      yield working();
      await nextMessage({ signal: AbortSignal.timeout(1) }).catch(() => signal.throwIfAborted());
      await cutOff(signal);
    },
  };
  const { rpc } = await serveFor(t, agent, { limits });
  const { result } = await rpc.call("SendMessage", text("go"));
  assert.equal(result.task.status.state, "TASK_STATE_FAILED");
});

test("a call for a message that is withdrawn after its run does not start the time, nor end a later call", async () => {
  const { calls, inbox } = timedInbox();
  const { signal } = new AbortController();
  const withdrawal = new AbortController();
  const [one, two] = [{}, {}];
  inbox.beginRun(one);
  const first = inbox.next(one, signal, withdrawal.signal);
  inbox.endRun();
  inbox.beginRun(two);
  const second = inbox.next(two, signal);
  calls.length = 0;
  withdrawal.abort(new Error("withdrawn"));
  await assert.rejects(first, { message: "withdrawn" });
  assert.deepEqual([calls, inbox.awaited], [[], true]);
  const { message } = text("more");
  inbox.put(queued(message));
  assert.equal(await second, message);
});

test("a call for a message whose withdrawal has aborted takes none from the queue", async () => {
  const inbox = new Inbox();
  const run = {};
  inbox.beginRun(run);
  const { message } = text("more");
  inbox.put(queued(message));
  const { signal } = new AbortController();
  await assert.rejects(inbox.next(run, signal, AbortSignal.abort(new Error("withdrawn"))), {
    message: "withdrawn",
  });
  assert.equal(await inbox.next(run, signal), message);
});

test("a call for a message in the name of a run that has ended rejects, and leaves the message and the time to the next run", async () => {
  const { calls, inbox } = timedInbox();
  const { signal } = new AbortController();
  const [one, two] = [{}, {}];
  inbox.beginRun(one);
  inbox.endRun();
  await assert.rejects(inbox.next(one, signal), /^Error: The run has ended/);
  inbox.beginRun(two);
  calls.length = 0;
  await assert.rejects(inbox.next(one, signal), /^Error: The run has ended/);
  assert.deepEqual([calls, inbox.awaited], [[], false]);
  const { message } = text("more");
  inbox.put(queued(message));
  await assert.rejects(inbox.next(one, signal), /^Error: The run has ended/);
  await assert.rejects(inbox.next(one, AbortSignal.abort(new Error("stopped"))), { message: "stopped" });
  assert.equal(await inbox.next(two, signal), message);
});

test("an inbox is no longer awaited once the signal of the wait has aborted", async () => {
  const inbox = new Inbox();
  const run = {};
  inbox.beginRun(run);
  const stop = new AbortController();
  const next = inbox.next(run, stop.signal);
  assert.equal(inbox.awaited, true);
  stop.abort(new Error("stopped"));
  await assert.rejects(next, { message: "stopped" });
  assert.equal(inbox.awaited, false);
});

test("an executor that gave its plain answer and goes on has answered", async (t) => {
  const notes = notebook();
  const store = new MemoryStore();
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ signal }) {
        yield reply("done");
        await cutOff(signal);
        throw new Error("late");
      },
    },
    { limits, store, logger: notes.logger },
  );
  const { result } = await server.rest.call("SendMessage", text("go"));
  assert.equal(result.message.parts[0].text, "done");
  assert.equal(store.size(), 0);
  assert.ok(notes.texts("warn").includes("An executor exceeded its time limit"));
});

test("SEC-08: a reply after the time limit creates no task for a caller of 0.1 whose request has failed", async (t) => {
  const store = new MemoryStore();
  const server = await serveFor(
    t,
    {
      card: plainCard,
      tasks: "never",
      async execute({ signal }) {
        await cutOff(signal);
        return reply("late");
      },
    },
    { limits, store, versions: ["0.1"] },
  );
  const message = { role: "user", parts: [{ type: "text", text: "go" }] };
  const call = { jsonrpc: "2.0", id: 1, method: "tasks/send", params: { id: "t1", message } };
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(server.url, { method: "POST", headers, body: JSON.stringify(call) });
  const { error } = (await response.json()) as { error?: { message: string } };
  assert.match(error?.message ?? "", /time limit/);
  await server.close();
  assert.equal(store.size(), 0);
});

test("a task that waits for its caller has no time that could be over", async (t) => {
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute() {
        yield inputRequired("more?");
      },
    },
    { limits },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  await sleep(120);
  const { result: task } = await server.rpc.call("GetTask", { id: result.task.id });
  assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
});

test("deadlines come in order, one timer for all, and none for what comes and goes meanwhile", async (t) => {
  const set = vi.spyOn(globalThis, "setTimeout");
  const deadlines = new Deadlines(0.03);
  // What waits for an end keeps no process alive by itself.
  const alive = setInterval(() => undefined, 1000);
  t.onTestFinished(() => clearInterval(alive));
  const expired: string[] = [];
  const both = new Promise<void>((resolve) => {
    const item = (name: string) => () => {
      expired.push(name);
      if (expired.length === 2) resolve();
    };
    const [a, b, c] = (["a", "b", "c"] as const).map((name) => deadlines.countdown(item(name)));
    for (const one of [a, b, c]) one?.begin();
    c?.end();
    a?.begin();
  });
  assert.equal(set.mock.calls.length, 1);
  await both;
  assert.deepEqual(expired, ["b", "a"]);
  const before = set.mock.calls.length;
  const brief = () => assert.fail("it had ended");
  for (let time = 0; time < 3; time += 1) {
    deadlines.end(deadlines.begin(brief));
  }
  assert.equal(set.mock.calls.length, before + 1);
});
