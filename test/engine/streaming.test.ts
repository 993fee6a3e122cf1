import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "vitest";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  reply,
  submitted,
  working,
} from "../../src/index.js";
import { gate, onBoth, onJson } from "../support/both.js";
import { collect, kindOf, plainCard, serveExecutor, serveFor, text } from "../support/peer.js";

onBoth(
  "OP-STREAM-01, OP-STREAM-04, OP-STREAM-06, OP-STREAM-07, STR-01, STR-06, STR-07, OBJT-03, OBJT-04: a task's events come in order and the stream ends with the last",
  async function* () {
    yield working("on it");
    const result = artifact({ name: "result" });
    yield result.text("one");
    yield result.text("two", { last: true });
    yield completed("done");
  },
  async (peer) => {
    const frames = await collect(peer.stream("SendStreamingMessage", text("go")));
    assert.deepEqual(
      frames.map(({ data }) => kindOf(data)),
      ["task", "artifactUpdate", "artifactUpdate", "statusUpdate"],
    );
    assert.deepEqual(
      frames.map(({ id }) => id),
      ["1", "2", "3", "4"],
    );
    const [first, one, two, last] = frames.map(({ data }) => data);
    assert.equal(first.task.status.state, "TASK_STATE_WORKING");
    assert.deepEqual([one.artifactUpdate.append, two.artifactUpdate.append], [undefined, true]);
    assert.equal(two.artifactUpdate.lastChunk, true);
    assert.equal(last.statusUpdate.status.state, "TASK_STATE_COMPLETED");
    for (const event of [one.artifactUpdate, two.artifactUpdate, last.statusUpdate]) {
      assert.equal(event.taskId, first.task.id);
      assert.equal(event.contextId, first.task.contextId);
      assert.equal("final" in event || "kind" in event, false);
    }
  },
);

onBoth(
  "OP-STREAM-01: events leave as they are produced, not at the end",
  async function* ({ nextMessage }) {
    yield working("first");
    const { parts } = await nextMessage();
    yield completed(parts[0]?.text);
  },
  async (peer) => {
    const stream = peer.stream("SendStreamingMessage", text("go"));
    const { value: first } = await stream.next();
    // The executor waits for this message, which can only be sent because the first frame is already here.
    const sent = await peer.call("SendMessage", text("go on", { message: { taskId: first?.data.task.id } }));
    assert.equal(sent.result.task.status.state, "TASK_STATE_COMPLETED");
    const rest = await collect(stream);
    assert.equal(rest.at(-1)?.data.statusUpdate.status.message.parts[0].text, "go on");
  },
);

test("OP-STREAM-02, OP-SUB-05: without the capability both streams are refused in the ordinary error form", async (t) => {
  let runs = 0;
  const execute = async () => {
    runs += 1;
    return reply("");
  };
  const { rpc, rest } = await serveFor(t, {
    card: { ...plainCard, capabilities: { streaming: false } },
    execute,
  });
  for (const peer of [rpc, rest]) {
    const sent = await peer.call("SendStreamingMessage", text("go"));
    assert.equal(sent.error, "UNSUPPORTED_OPERATION");
    assert.match(sent.response.headers.get("content-type") ?? "", /json/);
    assert.equal((await peer.call("SubscribeToTask", { id: "x" })).error, "UNSUPPORTED_OPERATION");
  }
  assert.equal(runs, 0);
});

onBoth(
  "OP-STREAM-05: a stream that opens with a message holds nothing else",
  async () => reply("hello"),
  async (peer) => {
    const frames = await collect(peer.stream("SendStreamingMessage", text("go")));
    assert.deepEqual(
      frames.map(({ data }) => kindOf(data)),
      ["message"],
    );
  },
);

onBoth(
  "OP-STREAM-08, OP-STREAM-09, EXEC-05, TURN-15: a stream ends at INPUT_REQUIRED, and the next one opens with the task as continued",
  async function* ({ task, text }) {
    if (task === undefined) {
      yield working();
      yield inputRequired("Which one?");
      return;
    }
    yield artifact({ name: "choice" }).text(text);
    yield completed();
  },
  async (peer) => {
    const first = await collect(peer.stream("SendStreamingMessage", text("go")));
    assert.equal(first.at(-1)?.data.statusUpdate.status.state, "TASK_STATE_INPUT_REQUIRED");
    const { id, contextId } = first[0]!.data.task;
    const second = await collect(
      peer.stream("SendStreamingMessage", text("this one", { message: { taskId: id } })),
    );
    const { task } = second[0]!.data;
    assert.equal(task.status.state, "TASK_STATE_WORKING");
    assert.equal(task.contextId, contextId);
    assert.deepEqual(
      task.history.map((message: { role: string }) => message.role),
      ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"],
    );
    assert.deepEqual(
      second.slice(1).map(({ data }) => kindOf(data)),
      ["artifactUpdate", "statusUpdate"],
    );
  },
);

onBoth(
  "OP-STREAM-08, INTASK-01, INTASK-04, INTASK-05, INTASK-06: a stream stays open through AUTH_REQUIRED and the work may go on",
  async function* ({ nextMessage }) {
    yield authRequired("Please log in");
    await nextMessage();
    yield working();
    yield completed();
  },
  async (peer) => {
    const stream = peer.stream("SendStreamingMessage", text("go"));
    const first = (await stream.next()).value?.data;
    assert.equal(first.task.status.state, "TASK_STATE_AUTH_REQUIRED");
    assert.equal(first.task.status.message.parts[0].text, "Please log in");
    await peer.call("SendMessage", text("done", { message: { taskId: first.task.id } }));
    const states = (await collect(stream)).map(({ data }) => data.statusUpdate.status.state);
    assert.equal(states.at(-1), "TASK_STATE_COMPLETED");
  },
);

onJson(
  "OP-STREAM-10, RPCS-03, RESTS-02: an error before the first event is an ordinary error",
  async () => reply(""),
  async (peer) => {
    const { error, response } = await peer.call("SendStreamingMessage", { message: {} });
    assert.equal(error, "INVALID_PARAMS");
    assert.match(response.headers.get("content-type") ?? "", /^application\/(a2a\+)?json/);
  },
);

onBoth(
  "OP-STREAM-11: returnImmediately has no effect on a stream",
  async function* () {
    yield submitted();
    yield completed();
  },
  async (peer) => {
    const configuration = { returnImmediately: true };
    const frames = await collect(peer.stream("SendStreamingMessage", text("go", { configuration })));
    assert.equal(frames.at(-1)?.data.statusUpdate.status.state, "TASK_STATE_COMPLETED");
  },
);

onBoth(
  "OP-STREAM-12: historyLength limits the history of a stream's snapshot",
  async function* ({ task }) {
    if (task) yield completed();
    else yield inputRequired("?");
  },
  async (peer) => {
    const configuration = { historyLength: 1 };
    const [opening] = await collect(
      peer.stream("SendStreamingMessage", text("go", { configuration: { historyLength: 0 } })),
    );
    assert.equal("history" in opening!.data.task, false);
    const again = text("more", { message: { taskId: opening?.data.task.id }, configuration });
    const [snapshot] = await collect(peer.stream("SendStreamingMessage", again));
    assert.deepEqual(
      snapshot?.data.task.history.map((message: any) => message.parts[0].text),
      ["more"],
    );
  },
);

test("OP-STREAM-13, STR-04, EXEC-07, CLI-08: a client that goes away disturbs neither the task nor other readers", async (t) => {
  const proceed = gate();
  const { rpc, rest } = await serveExecutor(t, async function* () {
    yield working();
    await proceed.opened;
    yield completed("still done");
  });
  const leaving = new AbortController();
  const stream = rpc.stream("SendStreamingMessage", text("go"), { signal: leaving.signal });
  const id = (await stream.next()).value?.data.task.id;
  const staying = rest.stream("SubscribeToTask", { id });
  await staying.next();
  leaving.abort();
  await assert.rejects(stream.next());
  proceed.open();
  assert.equal((await collect(staying)).at(-1)?.data.statusUpdate.status.state, "TASK_STATE_COMPLETED");
  assert.equal((await rpc.call("GetTask", { id })).result.status.message.parts[0].text, "still done");
});

test("STR-02, STR-03, STR-05, BIND-03: readers over both bindings see the same events", async (t) => {
  const proceed = gate();
  const { rpc, rest } = await serveExecutor(t, async function* () {
    yield working();
    await proceed.opened;
    const result = artifact();
    for (let index = 0; index < 50; index += 1) yield result.text(`${index} `);
    yield failed("enough");
  });
  const stream = rest.stream("SendStreamingMessage", text("go"));
  const id = (await stream.next()).value?.data.task.id;
  const readers = [rpc, rest, rpc, rest].map((peer) => peer.stream("SubscribeToTask", { id }));
  for (const reader of readers) assert.equal(kindOf((await reader.next()).value?.data), "task");
  proceed.open();
  const seen = await Promise.all([stream, ...readers].map(collect));
  for (const frames of seen) {
    assert.deepEqual(frames, seen[0]);
    assert.equal(frames.length, 51);
  }
});

test("STR-17: an orderly shutdown ends streams and gives tasks no state", async (t) => {
  const stopped = gate<string>();
  const server = await serveExecutor(t, async function* ({ signal, taskId }) {
    yield working();
    await once(signal, "abort");
    stopped.open(taskId);
    yield failed("must not be stored");
  });
  const stream = server.rpc.stream("SendStreamingMessage", text("go"));
  await stream.next();
  const rest = collect(stream);
  await server.close();
  await stopped.opened;
  assert.deepEqual(await rest, []);
});
