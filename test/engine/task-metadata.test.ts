import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  rejected,
  reply,
  submitted,
  UpdateRefused,
  working,
} from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import type { ServerVersion } from "../../src/server/index.js";
import { near } from "../push/desk.js";
import { Webhook } from "../push/webhook.js";
import { gate, onBoth } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";
import { idleExecutor, onClock } from "./clocked-agent.js";
import { started } from "./two-nodes.js";

type Json = any;

/** The metadata that the task of {@link steps} has in the end, and the events that bring it. */
const all = { model: "m-1", step: 2, usage: { tokens: 7 } };

async function* steps() {
  yield working("one", { taskMetadata: { model: "m-1", step: 1 } });
  yield artifact({ name: "a" }).text("x");
  yield { statusUpdate: { status: { state: "TASK_STATE_WORKING" as const }, metadata: { step: 2 } } };
  yield completed("done", { taskMetadata: { usage: { tokens: 7 } } });
}

test("every builder of a status carries metadata of the task, and none when none is given", () => {
  for (const builder of [submitted, working, inputRequired, authRequired, completed, failed, rejected]) {
    assert.deepEqual(builder("a", { taskMetadata: { a: 1 } }).statusUpdate.metadata, { a: 1 });
    for (const plain of [builder("a"), builder("a", {})])
      assert.equal("metadata" in plain.statusUpdate, false);
  }
});

onBoth(
  "OBJT-07, OBJT-08: metadata that an executor sets is in the task, in lists, and in the events of subscribers",
  steps,
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("go"))).result;
    assert.deepEqual(task.metadata, all);
    assert.deepEqual((await peer.call("GetTask", { id: task.id })).result.metadata, all);
    assert.deepEqual((await peer.call("ListTasks")).result.tasks[0].metadata, all);
    const frames = (await collect(peer.stream("SendStreamingMessage", text("go")))).map(({ data }) => data);
    assert.deepEqual(frames[0].task.metadata, { model: "m-1", step: 1 });
    assert.deepEqual(
      frames.flatMap(({ statusUpdate }) => (statusUpdate ? [statusUpdate.metadata] : [])),
      [{ step: 2 }, { usage: { tokens: 7 } }],
    );
  },
);

onClock(
  "OBJT-08: metadata is stored, and a task that the server made gets it too",
  async (peer, { begun, clock, go, rest }) => {
    const answer = peer.call("SendMessage", text("go", started));
    await begun;
    clock.advance(100);
    const { task } = (await answer).result;
    assert.equal("metadata" in task, false);
    const stream = rest.stream("SubscribeToTask", { id: task.id });
    await stream.next();
    go(steps);
    await collect(stream);
    assert.deepEqual((await peer.call("GetTask", { id: task.id })).result.metadata, all);
  },
);

test("a client that reads events alone, also from a place in between, comes to the task that the agent has", async (t) => {
  const more = gate();
  const { url, rpc } = await serveExecutor(t, async function* () {
    yield working("one", { taskMetadata: { a: 1, b: 1 } });
    await more.opened;
    yield working("two", { taskMetadata: { b: 2 } });
    yield artifact({ name: "a" }).text("x");
    yield completed(undefined, { taskMetadata: { c: 3 } });
  });
  const client = await connect(url);
  const stream = client.stream("go");
  let id: string | undefined;
  for await (const event of stream) {
    id ??= event.task?.id;
    more.open();
  }
  const { result } = await rpc.call("GetTask", { id });
  assert.deepEqual(result.metadata, { a: 1, b: 2, c: 3 });
  assert.deepEqual(stream.task, result);
  // What a reader that was cut off is given to begin with is the task as it was there.
  const headers = { "Last-Event-ID": "2" };
  const [first, ...rest] = await collect(rpc.stream("SubscribeToTask", { id }, { headers }));
  assert.deepEqual(first?.data.task.metadata, { a: 1, b: 2 });
  assert.deepEqual(rest.at(-1)?.data.statusUpdate.metadata, { c: 3 });
});

test("metadata stays through questions, cancels and follow-ups", async (t) => {
  const { rpc } = await serveExecutor(t, async function* ({ text, task }) {
    if (task === undefined) yield inputRequired("?", { taskMetadata: { asked: true } });
    else if (text === "wait") yield inputRequired("still?");
    else yield completed(JSON.stringify(task.metadata));
  });
  const { task } = (await rpc.call("SendMessage", text("go"))).result;
  const message = { taskId: task.id };
  assert.deepEqual((await rpc.call("SendMessage", text("wait", { message }))).result.task.metadata, {
    asked: true,
  });
  const { result: canceled } = await rpc.call("CancelTask", { id: task.id });
  assert.deepEqual(canceled.metadata, { asked: true });
  const second = (await rpc.call("SendMessage", text("go"))).result.task.id;
  const { result } = await rpc.call("SendMessage", text("end", { message: { taskId: second } }));
  assert.equal(result.task.status.message.parts[0].text, '{"asked":true}');
});

onBoth(
  "OBJT-08: metadata that is no JSON object is refused where it is yielded",
  async function* () {
    for (const metadata of ["text", [1], 7, { big: 1n }] as never[]) {
      try {
        yield working("on it", { taskMetadata: metadata });
        return reply("it was taken");
      } catch (refused) {
        assert.ok(refused instanceof UpdateRefused);
        assert.match(refused.message, /metadata/);
      }
    }
    return reply("refused");
  },
  async (peer) => {
    assert.equal((await peer.call("SendMessage", text("go"))).result.message.parts[0].text, "refused");
  },
);

test("OP-PUSH-01: webhooks get metadata of the task, in the shape of their version", async (t) => {
  const { execute, go } = idleExecutor();
  const { url, rpc } = await serveExecutor(
    t,
    execute,
    { push: near, versions: [protocolVersion, "0.3"] },
    { tasks: "always" },
  );
  const [newer, older] = [await Webhook.open(t), await Webhook.open(t)];
  const { task } = (await rpc.call("SendMessage", text("go", started))).result;
  const config = { taskId: task.id, url: newer.url() };
  assert.ok((await rpc.call("CreateTaskPushNotificationConfig", config)).result);
  const params = { taskId: task.id, pushNotificationConfig: { url: older.url() } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/pushNotificationConfig/set", params });
  const headers = { "Content-Type": "application/json", "A2A-Version": "0.3" };
  assert.equal((await fetch(url, { method: "POST", headers, body })).status, 200);
  go(steps);
  await newer.count(4);
  await older.count(1);
  assert.deepEqual(newer.arrivals.at(-1)?.event.statusUpdate?.metadata, { usage: { tokens: 7 } });
  while (JSON.parse(older.arrivals.at(-1)?.body ?? "").status.state !== "completed")
    await older.count(older.arrivals.length + 1);
  assert.deepEqual(JSON.parse(older.arrivals.at(-1)?.body ?? "").metadata, all);
});

/** How each older version sends a message and streams one, and reads a task. */
const older: Record<
  string,
  { versions: ServerVersion[]; send: string; stream: string; get: string; message: object }
> = {
  "0.3": {
    versions: [protocolVersion, "0.3"],
    ...{ send: "message/send", stream: "message/stream", get: "tasks/get" },
    message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "go" }] },
  },
  "0.1": {
    versions: ["1.0", "0.1"],
    ...{ send: "tasks/send", stream: "tasks/sendSubscribe", get: "tasks/get" },
    message: { role: "user", parts: [{ type: "text", text: "go" }] },
  },
  "the flat dialect": {
    versions: ["1.0", "0.1-flat"],
    ...{ send: "tasks/send", stream: "tasks/sendSubscribe", get: "tasks/get" },
    message: { role: "user", parts: [{ text: "go" }] },
  },
};

for (const [name, { versions, send, stream, get, message }] of Object.entries(older)) {
  test(`callers of ${name} see metadata of tasks in answers, snapshots and events`, async (t) => {
    const { url } = await serveExecutor(t, steps, { versions });
    const post = (method: string, params: object) =>
      fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
    const call = async (method: string, params: object): Promise<Json> =>
      ((await (await post(method, params)).json()) as Json).result;
    const named = name === "0.1" ? { id: "first" } : {};
    const task = await call(send, { ...named, message });
    assert.deepEqual(task.metadata, all);
    assert.deepEqual((await call(get, { id: task.id })).metadata, all);
    const events = await (await post(stream, { ...(name === "0.1" && { id: "second" }), message })).text();
    const given =
      events.match(/"metadata":\{[^}]*\}+/g)?.map((found) => found.replace('"metadata":', "")) ?? [];
    const merged = Object.assign({}, ...given.map((found) => looselyParsed(found)));
    assert.deepEqual(merged, all);
  });
}

/** JSON of an object that may be followed by braces of what is around it. */
function looselyParsed(found: string): object {
  for (let end = found.length; end > 0; end -= 1) {
    try {
      return JSON.parse(found.slice(0, end));
    } catch {
      // One brace fewer.
    }
  }
  return {};
}
