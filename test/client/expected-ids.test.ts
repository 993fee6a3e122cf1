import assert from "node:assert/strict";
import { test } from "vitest";
import type { Client } from "../../src/client/index.js";
import type { AgentCard, Message } from "../../src/protocol/model.js";
import {
  cardOf,
  clientOf,
  completed,
  eventStream,
  frames,
  json,
  origin,
  result,
  type Seen,
  statusOf,
  task,
  working,
} from "./scripted.js";
import { methodsOf, read } from "./stream/read-stream.js";

const foreign = { ...task, id: "other" };
const elsewhere = { ...task, contextId: "other" };
const message = (ids: object) => ({ messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }], ...ids });
const config = { taskId: "t", id: "p", url: "https://hook.example" };

const send = (ids: Partial<Message>) => (client: Client) =>
  client.sendMessage({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], ...ids } });
const push = (client: Client) => client.pushConfigs("t");

/** Calls, an answer that fits them, and answers about something else with the member that says so. */
const calls: readonly {
  name: string;
  call: (client: Client) => Promise<unknown>;
  fits: readonly object[];
  foreign: readonly (readonly [answer: object, field: string])[];
}[] = [
  {
    name: "GetTask",
    call: (client) => client.getTask({ id: "t" }),
    fits: [task, elsewhere],
    foreign: [[foreign, "id"]],
  },
  {
    name: "CancelTask",
    call: (client) => client.cancelTask({ id: "t" }),
    fits: [task],
    foreign: [[foreign, "id"]],
  },
  {
    name: "SendMessage to a task",
    call: send({ taskId: "t" }),
    fits: [{ task }, { task: elsewhere }, { message: message({}) }, { message: message({ taskId: "t" }) }],
    foreign: [
      [{ task: foreign }, "task.id"],
      [{ message: message({ taskId: "other" }) }, "message.taskId"],
    ],
  },
  {
    name: "SendMessage in a context",
    call: send({ contextId: "c" }),
    fits: [{ task }, { task: foreign }, { message: message({}) }, { message: message({ contextId: "c" }) }],
    foreign: [
      [{ task: elsewhere }, "task.contextId"],
      [{ message: message({ contextId: "other" }) }, "message.contextId"],
    ],
  },
  {
    name: "SendMessage of something new",
    call: send({}),
    fits: [{ task }, { task: foreign }, { message: message({ taskId: "t", contextId: "c" }) }],
    foreign: [],
  },
  {
    name: "ListTasks of a context",
    call: (client) => client.listTasks({ contextId: "c" }),
    fits: [{ tasks: [task, foreign], nextPageToken: "", pageSize: 50, totalSize: 2 }],
    foreign: [[{ tasks: [task, elsewhere], totalSize: 2 }, "tasks[1].contextId"]],
  },
  {
    name: "ListTasks",
    call: (client) => client.listTasks({}),
    fits: [{ tasks: [task, elsewhere], totalSize: 2 }],
    foreign: [],
  },
  {
    name: "CreateTaskPushNotificationConfig",
    call: (client) => push(client).create({ id: "p", url: config.url }),
    fits: [config, { url: config.url }],
    foreign: [
      [{ ...config, taskId: "other" }, "taskId"],
      [{ ...config, id: "other" }, "id"],
    ],
  },
  {
    name: "CreateTaskPushNotificationConfig without an id",
    call: (client) => push(client).create({ url: config.url }),
    fits: [config],
    foreign: [[{ ...config, taskId: "other" }, "taskId"]],
  },
  {
    name: "GetTaskPushNotificationConfig",
    call: (client) => push(client).get("p"),
    fits: [config],
    foreign: [
      [{ ...config, taskId: "other" }, "taskId"],
      [{ ...config, id: "other" }, "id"],
    ],
  },
  {
    name: "ListTaskPushNotificationConfigs",
    call: (client) => client.listTaskPushNotificationConfigs({ taskId: "t" }),
    fits: [{ configs: [config, { ...config, id: "q" }] }],
    foreign: [[{ configs: [config, { ...config, taskId: "other" }] }, "configs[1].taskId"]],
  },
];

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  for (const { name, call, fits, foreign: others } of calls) {
    const answering = (value: object) => (request: Seen) =>
      binding === "JSONRPC" ? result(request, value) : json(value);
    test(`${name}: an answer about something else is refused [${binding}]`, async () => {
      for (const value of fits) {
        const { client } = await clientOf(answering(value), { bindings: [binding] });
        await call(client);
      }
      for (const [value, field] of others) {
        const { client } = await clientOf(answering(value), { bindings: [binding] });
        await assert.rejects(call(client), { code: "INVALID_RESPONSE", field });
      }
    });
  }
}

test("a lenient client warns of an answer about another task and hands it on", async () => {
  const warnings: object[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (facts: object) => warnings.push(facts) };
  const { client } = await clientOf((request) => result(request, foreign), { lenient: true, logger });
  assert.deepEqual(await client.getTask({ id: "t" }), foreign);
  assert.deepEqual(warnings, [
    { operation: "GetTask", url: `${origin}/a2a`, field: "id", expected: 'must be "t"' },
  ]);
});

const entry = { url: `${origin}/a2a`, protocolBinding: "JSONRPC" };
const speaking = (protocolVersion: string): AgentCard =>
  cardOf({ supportedInterfaces: [{ ...entry, protocolVersion }] });

/** Answers of older versions to the same calls: the task as each of them writes it. */
const older = [
  {
    version: "0.3",
    event: (ids: object, more: object = {}) => ({
      kind: "status-update",
      taskId: "t",
      contextId: "c",
      status: { state: "working" },
      final: false,
      ...more,
      ...ids,
    }),
    whole: (ids: object) => ({ kind: "task", id: "t", contextId: "c", status: { state: "working" }, ...ids }),
    id: "taskId",
  },
  ...["0.1", "0.1-flat"].map((version) => ({
    version,
    event: (ids: object, more: object = {}) => ({
      id: "t",
      status: { state: "working" },
      final: false,
      ...more,
      ...ids,
    }),
    whole: (ids: object) => ({ id: "t", sessionId: "c", status: { state: "working" }, ...ids }),
    id: "id",
  })),
] as const;

for (const { version, event, whole, id } of older) {
  test(`answers and events of another task are refused in ${version}`, async () => {
    const differs = { code: "INVALID_RESPONSE", received: "other text" };
    const card = speaking(version);
    const single = await clientOf((request) => result(request, whole({ id: "other" })), { card });
    for (const call of [
      single.client.getTask({ id: "t" }),
      single.client.cancelTask({ id: "t" }),
      single.client.reply({ ...task }, "more"),
    ])
      await assert.rejects(call, { ...differs, field: /^(task\.)?id$/ });
    const done = { status: { state: "completed" }, final: true };
    const stranger = event({ [id]: "other" }, done);
    const { client, seen } = await clientOf(
      (request) =>
        request.json.method === "tasks/get"
          ? result(request, whole({}))
          : eventStream(frames(request, [event({}), stranger])),
      { card },
    );
    await assert.rejects(client.subscribeToTask({ id: "t" }).result(), differs);
    await assert.rejects(client.stream("x", { message: { taskId: "t" } }).result(), differs);
    const asked = seen.length;
    const first = await clientOf((request) => eventStream(frames(request, [stranger])), { card });
    await assert.rejects(first.client.subscribeToTask({ id: "t" }).result(), differs);
    // Nothing is asked about the other task.
    assert.deepEqual([first.seen.length, asked], [1, seen.length]);
  });

  test(`an agent of ${version} may name a new task and its conversation as it likes`, async () => {
    const card = speaking(version);
    const own = { id: "own", contextId: "own-context", sessionId: "own-session" };
    const done = { status: { state: "completed" }, final: true };
    const { client } = await clientOf(
      (request) => {
        if (!/stream|Subscribe/.test(request.json.method)) return result(request, whole(own));
        const named = { [id]: "own", contextId: "own-context" };
        return eventStream(frames(request, [whole(own), event(named), event(named, done)]));
      },
      { card },
    );
    const options = { message: { contextId: "mine" } };
    assert.equal((await client.sendText("x", options)).task?.id, "own");
    const stream = client.stream("x", options);
    assert.deepEqual((await read(stream)).events.at(-1), "TASK_STATE_COMPLETED");
    assert.equal(stream.task?.id, "own");
  });
}

test("events of the draft that name no task belong to the one that the first event named", async () => {
  const { client } = await clientOf(
    (request) =>
      eventStream(
        frames(request, [
          { id: "own", status: { state: "working" }, final: false },
          { status: { state: "completed" }, final: true },
        ]),
      ),
    { card: speaking("0.1") },
  );
  const stream = client.stream("x");
  assert.deepEqual((await read(stream)).events, ["task", "TASK_STATE_COMPLETED"]);
  assert.equal(stream.task?.id, "own");
});

test("a push configuration of the draft goes by the id of its task, whatever id was asked for", async () => {
  const { client } = await clientOf(
    (request) => result(request, { id: "t", pushNotificationConfig: { url: config.url } }),
    { card: speaking("0.1") },
  );
  assert.equal((await push(client).create({ id: "p", url: config.url })).id, "t");
  assert.equal((await push(client).get("p")).id, "t");
});

test("an agent that leaves ids out is not blamed for it", async () => {
  const bare = { id: "t", status: working };
  const { client } = await methodsOf({
    GetTask: (request) => result(request, bare),
    SendStreamingMessage: (request) =>
      eventStream(frames(request, [{ task: bare }, statusOf(working), statusOf(completed)])),
  });
  assert.deepEqual(await client.getTask({ id: "t" }), bare);
  const { events } = await read(client.stream("x"));
  assert.deepEqual(events, ["task", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
});
