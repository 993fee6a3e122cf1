import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "vitest";
import { completed, type Executor, inputRequired, reply, working } from "../../src/index.js";
import { createApp, type Limits } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { onBoth, onJson } from "../support/both.js";
import { plainCard, text } from "../support/peer.js";

const echo: Executor = async ({ text }) => reply(text);

/** Where a request breaks a limit on its content, and the member that the refusal names. */
const cases: { name: string; limits: Limits; request: object; field: string }[] = [
  {
    name: "parts",
    limits: { parts: 3 },
    request: text("", { message: { parts: Array.from({ length: 4 }, () => ({ text: "x" })) } }),
    field: "message.parts",
  },
  {
    name: "metadata of the request",
    limits: { metadata: 50 },
    request: text("hi", { metadata: { note: "x".repeat(50) } }),
    field: "metadata",
  },
  {
    name: "metadata of message and parts together",
    limits: { metadata: 50 },
    request: text("", {
      message: { metadata: { a: "x".repeat(20) }, parts: [{ text: "x", metadata: { b: "é".repeat(10) } }] },
    }),
    field: "metadata",
  },
  {
    name: "lists of output modes",
    limits: { metadata: 50 },
    request: text("hi", { configuration: { acceptedOutputModes: ["text/plain", `text/${"x".repeat(40)}`] } }),
    field: "configuration.acceptedOutputModes",
  },
  {
    name: "lists of extensions",
    limits: { metadata: 50 },
    request: text("hi", { message: { extensions: Array.from({ length: 20 }, () => "") } }),
    field: "message.extensions",
  },
  {
    name: "lists of referenced tasks",
    limits: { metadata: 50 },
    request: text("hi", { message: { referenceTaskIds: [`task-${"é".repeat(30)}`] } }),
    field: "message.referenceTaskIds",
  },
];

for (const { name, limits, request, field } of cases) {
  onBoth(
    `SEC-08, ERR-23, ERR-24: the limit on ${name} refuses by name and stores nothing`,
    echo,
    async (peer) => {
      for (const operation of ["SendMessage", "SendStreamingMessage"]) {
        const answer = await peer.call(operation, request);
        assert.deepEqual([answer.error, answer.fields], ["INVALID_PARAMS", [field]]);
        assert.match(answer.message ?? "", /at most \d+/);
      }
    },
    {},
    { limits },
  );
  onBoth(
    `SEC-08: below the limit on ${name} a request passes`,
    echo,
    async (peer) => assert.ok((await peer.call("SendMessage", request)).result),
    {},
    { limits: Object.fromEntries(Object.entries(limits).map(([limit, value]) => [limit, value * 2])) },
  );
}

onBoth("SEC-08: 1,000 parts and 64 KiB of metadata pass by default, more do not", echo, async (peer) => {
  const parts = (count: number) => Array.from({ length: count }, () => ({ text: "x" }));
  const padded = (bytes: number) => ({ note: "x".repeat(bytes - JSON.stringify({ note: "" }).length) });
  assert.ok((await peer.call("SendMessage", text("", { message: { parts: parts(1000) } }))).result);
  const many = await peer.call("SendMessage", text("", { message: { parts: parts(1001) } }));
  assert.deepEqual(many.fields, ["message.parts"]);
  assert.ok((await peer.call("SendMessage", text("hi", { metadata: padded(65_536) }))).result);
  const large = await peer.call("SendMessage", text("hi", { metadata: padded(65_537) }));
  assert.deepEqual(large.fields, ["metadata"]);
});

onBoth(
  "SEC-08: the metadata of a cancel counts as well",
  async function* () {
    yield inputRequired("more?");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("hi"));
    const metadata = { note: "x".repeat(100) };
    const refused = await peer.call("CancelTask", { id: result.task.id, metadata });
    assert.deepEqual([refused.error, refused.fields], ["INVALID_PARAMS", ["metadata"]]);
    const task = await peer.call("GetTask", { id: result.task.id });
    assert.equal(task.result.status.state, "TASK_STATE_INPUT_REQUIRED");
  },
  {},
  { limits: { metadata: 100 } },
);

for (const [limits, depth] of [
  [{}, 100],
  [{ nesting: 20 }, 20],
] as const) {
  onJson(
    `SEC-08: a body may be nested ${depth} levels deep with ${JSON.stringify(limits)}`,
    echo,
    async (peer) => {
      const envelope = peer.binding === "JSONRPC" ? 2 : 1;
      const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
      const sent = (levels: number) => text("", { metadata: { deep: nested(levels - envelope - 1) } });
      assert.ok((await peer.call("SendMessage", sent(depth))).result);
      const refused = await peer.call("SendMessage", sent(depth + 1));
      assert.equal(refused.error, "INVALID_REQUEST");
      assert.match(refused.message ?? "", new RegExp(`deeper than ${depth} levels`));
    },
    {},
    { limits },
  );
}

onBoth(
  "SEC-08: a task takes as many messages as it may have, and no more",
  async function* ({ task }) {
    if (task) yield working();
    yield inputRequired("more?");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("1"));
    const { id } = result.task;
    // Two messages of the caller and the answer between them, which is history by now.
    await peer.call("SendMessage", text("2", { message: { taskId: id } }));
    const before = await peer.call("GetTask", { id });
    const refused = await peer.call("SendMessage", text("3", { message: { taskId: id } }));
    assert.deepEqual([refused.error, refused.metadata], ["UNSUPPORTED_OPERATION", { taskId: id }]);
    assert.match(refused.message ?? "", /3 messages/);
    assert.deepEqual((await peer.call("GetTask", { id })).result, before.result);
  },
  {},
  { limits: { history: 3 } },
);

test("SEC-08: a limit that cannot be right is refused by name when the app is made", () => {
  const agent = { card: plainCard, execute: echo };
  const make = (limits: object) => () => createApp(agent, { limits });
  assert.throws(make({ parts: 0 }), /limits\.parts must be a positive number/);
  assert.throws(make({ streams: Number.NaN }), /limits\.streams/);
  assert.throws(make({ workTime: "10" }), /limits\.workTime/);
  assert.throws(make({ queue: -1 }), /limits\.queue/);
  assert.throws(make({ part: 10 }), /limits: there is no option "part"/);
  assert.doesNotThrow(make({ queue: 0, tasks: Number.POSITIVE_INFINITY, parts: undefined }));
});

test("SEC-08: limits hold where the app is mounted by somebody else", async (t) => {
  const store = new MemoryStore();
  const app = createApp(
    {
      card: plainCard,
      async *execute() {
        yield completed();
      },
    },
    { store, limits: { parts: 1 } },
  );
  const server = app.listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const send = (count: number) =>
    fetch(`http://127.0.0.1:${port}/message:send`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
      body: JSON.stringify(
        text("", { message: { parts: Array.from({ length: count }, () => ({ text: "x" })) } }),
      ),
    });
  assert.equal((await send(2)).status, 400);
  assert.equal(store.size(), 0);
  assert.equal((await send(1)).status, 200);
  assert.equal(store.size(), 1);
});
