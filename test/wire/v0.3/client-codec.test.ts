import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { operations } from "../../../generated/v0.3/operations.js";
import type { OperationName } from "../../../src/operations.js";
import { ContractFault } from "../../../src/wire/contract-fault.js";
import { clientCodec } from "../../../src/wire/v0.3/client-codec.js";
import { codec } from "../../../src/wire/v0.3/codec.js";
import { event, message, pushConfig, task } from "../arbitrary.js";

const rest = clientCodec.forBinding!("HTTP+JSON");
const server = {
  rpc: codec,
  rest: (value: unknown) => codec.dialectOf!({ method: undefined, headers: {}, value }),
};
const runs = { numRuns: 40 };

type Fixture = { readonly name: string; readonly value: any };
const fixtures = JSON.parse(
  readFileSync(new URL("../../../generated/v0.3/fixtures.json", import.meta.url), "utf8"),
) as Record<string, { valid: Fixture[]; invalid: Fixture[] }>;

test("a codec is there for each binding", () => {
  assert.equal(clientCodec.forBinding!("JSONRPC"), clientCodec);
  assert.notEqual(rest, clientCodec);
  assert.deepEqual(
    [...clientCodec.calls.keys()],
    operations.map(({ name }) => name),
  );
});

for (const { name, response } of operations) {
  if (response === null || response === "AgentCard") continue;
  const { valid, invalid } = fixtures[response]!;

  test(`every valid ${response} is read as the answer to ${name}`, () => {
    for (const { value, name: fixture } of valid) {
      const read = name === "SubscribeToTask" || name === "SendStreamingMessage";
      const answer = read ? clientCodec.decodeEvent(value) : clientCodec.decodeResponse(name, value);
      assert.ok(answer, fixture);
    }
  });

  test(`an invalid ${response} is no answer to ${name}, unless it can be read as one`, () => {
    for (const { value } of invalid) {
      try {
        clientCodec.decodeResponse(name, value);
      } catch (error) {
        assert.ok(error instanceof ContractFault);
      }
    }
  });
}

const requests: [name: OperationName, request: any][] = [
  ["GetTask", { id: "t", historyLength: 2 }],
  ["GetTask", { id: "t" }],
  ["CancelTask", { id: "t", metadata: { a: 1 } }],
  ["CancelTask", { id: "t" }],
  ["SubscribeToTask", { id: "t" }],
  ["GetTaskPushNotificationConfig", { taskId: "t", id: "c" }],
  ["ListTaskPushNotificationConfigs", { taskId: "t" }],
  ["DeleteTaskPushNotificationConfig", { taskId: "t", id: "c" }],
  ["GetExtendedAgentCard", {}],
];
for (const [name, request] of requests) {
  test(`a request of ${name} is read by a server as it was: ${JSON.stringify(request)}`, () => {
    const value = clientCodec.encodeRequest(name, request);
    assert.deepEqual(server.rpc.decodeRequest(name, value), request);
    const written = rest.encodeRequest(name, request);
    assert.deepEqual(server.rest(written).decodeRequest(name, written), request);
  });
}

test("a send is read by a server as it was, and always says whether it waits", () => {
  const configuration = fc.constantFrom<any>(
    {},
    { returnImmediately: true },
    { historyLength: 3, acceptedOutputModes: ["text/plain"] },
    { taskPushNotificationConfig: { url: "https://x", id: "c" } },
  );
  const sends = fc.record({ message, configuration }).map((value) => ({ ...value }));
  fc.assert(
    fc.property(sends, (request) => {
      const value: any = clientCodec.encodeRequest("SendMessage", request);
      assert.equal(value.configuration.blocking, !("returnImmediately" in request.configuration));
      assert.deepEqual(server.rpc.decodeRequest("SendMessage", value), request);
    }),
    runs,
  );
  const plain = { message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "x" }] } };
  const more = {
    ...plain,
    metadata: { a: 1 },
    configuration: { taskPushNotificationConfig: { url: "https://x", id: "c" } },
  };
  const written = rest.encodeRequest("SendMessage", more);
  assert.deepEqual(server.rest(written).decodeRequest("SendMessage", written), more);
  assert.deepEqual(server.rpc.decodeRequest("SendMessage", clientCodec.encodeRequest("SendMessage", plain)), {
    ...plain,
    configuration: {},
  });
  assert.throws(() => clientCodec.encodeRequest("GetTask", { id: "" }), ContractFault);
});

test("JSON-05: members of newer versions are not sent to agents that do not have them", () => {
  const newer = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "x" }], kind: "odd", later: 1 };
  const value: any = clientCodec.encodeRequest("SendMessage", { message: newer });
  assert.deepEqual(Object.keys(value.message).sort(), ["kind", "messageId", "parts", "role"]);
  assert.equal(value.message.kind, "message");
});

test("a webhook is read by a server as it was, over both bindings", () => {
  fc.assert(
    fc.property(pushConfig, (config) => {
      const value = clientCodec.encodeRequest("CreateTaskPushNotificationConfig", config);
      assert.deepEqual(server.rpc.decodeRequest("CreateTaskPushNotificationConfig", value), config);
    }),
    runs,
  );
  for (const config of [
    { taskId: "t", id: "c", url: "https://x" },
    { taskId: "t", url: "https://x" },
  ]) {
    const { taskId, ...body }: any = rest.encodeRequest("CreateTaskPushNotificationConfig", config);
    const read = server.rest(body).decodeRequest("CreateTaskPushNotificationConfig", { ...body, id: taskId });
    assert.equal((read as any).taskId, "t");
  }
});

test("events of a server are read as they were, in each of its shapes", () => {
  fc.assert(
    fc.property(event, (given) => {
      const bare = JSON.parse(codec.eventWriter("SendStreamingMessage")(given));
      assert.deepEqual(clientCodec.decodeEvent(bare), given);
      const { kind: _, ...unkind } = bare;
      if (given.statusUpdate === undefined) assert.deepEqual(clientCodec.decodeEvent(unkind), given);
      const text = server.rest({ config: { taskId: "t" } });
      assert.deepEqual(rest.decodeEvent(JSON.parse(text.eventWriter("SendStreamingMessage")(given))), given);
    }),
    runs,
  );
});

test("answers of a server are read as they were", () => {
  fc.assert(
    fc.property(task, message, (one, reply) => {
      const read = (name: OperationName, answer: any): unknown =>
        clientCodec.decodeResponse(name, codec.encodeResponse(name, answer, {} as never));
      assert.deepEqual(read("GetTask", one), one);
      assert.deepEqual(read("CancelTask", one), one);
      assert.deepEqual(read("SendMessage", { task: one }), { task: one });
      assert.deepEqual(read("SendMessage", { message: reply }), { message: reply });
    }),
    runs,
  );
  fc.assert(
    fc.property(pushConfig, (config) => {
      const encode = (name: OperationName, answer: any) =>
        codec.encodeResponse(name, answer, config as never);
      const one = encode("GetTaskPushNotificationConfig", config);
      assert.deepEqual(clientCodec.decodeResponse("GetTaskPushNotificationConfig", one), config);
      const list = encode("ListTaskPushNotificationConfigs", { configs: [config] });
      assert.deepEqual(clientCodec.decodeResponse("ListTaskPushNotificationConfigs", list), {
        configs: [config],
        nextPageToken: "",
      });
    }),
    runs,
  );
});

const status = { state: "TASK_STATE_WORKING" } as const;
const variants: [name: string, value: unknown, expected: unknown][] = [
  [
    "protocol buffers",
    { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } },
    { task: { id: "t", contextId: "c", status } },
  ],
  [
    "a state that is left out",
    { task: { id: "t", contextId: "c", status: {} } },
    { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_UNSPECIFIED" } } },
  ],
  [
    "a state by its number",
    { task: { id: "t", contextId: "c", status: { state: 5 } } },
    { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_CANCELED" } } },
  ],
  [
    "members in snake_case",
    {
      status_update: { task_id: "t", context_id: "c", status: { state: "TASK_STATE_WORKING" } },
    },
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } },
  ],
  [
    "states with underscores, times without a zone",
    {
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "input_required", timestamp: "2026-01-31T12:00:00.5" },
    },
    {
      task: {
        id: "t",
        contextId: "c",
        status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: "2026-01-31T12:00:00.5Z" },
      },
    },
  ],
  [
    "a second l",
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_CANCELLED" } } },
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_CANCELED" } } },
  ],
  [
    "a second l in small letters",
    { kind: "status-update", final: true, taskId: "t", contextId: "c", status: { state: "cancelled" } },
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_CANCELED" } } },
  ],
  [
    "the older name of a message",
    { msg: { messageId: "m", role: "ROLE_AGENT", content: [{ text: "x" }] } },
    { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] } },
  ],
  [
    "parts of unknown kinds",
    {
      kind: "message",
      messageId: "m",
      role: "agent",
      parts: [{ kind: "text", text: "x" }, { kind: "video" }],
    },
    { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] } },
  ],
  ["an event of an unknown kind", { kind: "heartbeat" }, undefined],
  ["an empty event", {}, undefined],
];
for (const [name, value, expected] of variants) {
  test(`an answer of a peer is read: ${name}`, () =>
    assert.deepEqual(clientCodec.decodeEvent(value), expected));
}

test("webhooks are read from their names as well, and from a list with one page", () => {
  const named = { name: "tasks/t/pushNotificationConfigs/c", pushNotificationConfig: { url: "https://x" } };
  const config = { taskId: "t", id: "c", url: "https://x" };
  assert.deepEqual(clientCodec.decodeResponse("GetTaskPushNotificationConfig", named), config);
  for (const [list, configs] of [
    [{ configs: [named] }, [config]],
    [{}, []],
    [null, []],
  ] as const) {
    assert.deepEqual(clientCodec.decodeResponse("ListTaskPushNotificationConfigs", list), {
      configs,
      nextPageToken: "",
    });
  }
  assert.throws(
    () => clientCodec.decodeResponse("ListTaskPushNotificationConfigs", { configs: 1 }),
    ContractFault,
  );
  assert.throws(
    () => clientCodec.decodeResponse("GetTaskPushNotificationConfig", { name: "x" }),
    ContractFault,
  );
  assert.throws(() => clientCodec.decodeResponse("GetTaskPushNotificationConfig", 1), ContractFault);
});

test("faults are named, or put up with", () => {
  const broken = {
    kind: "task",
    id: "t",
    contextId: "c",
    status: { state: "working", timestamp: "yesterday" },
  };
  assert.throws(
    () => clientCodec.decodeResponse("GetTask", broken),
    (error) => error instanceof ContractFault && error.field === "status.timestamp",
  );
  const faults: string[] = [];
  const read: any = clientCodec.decodeResponse("GetTask", broken, {
    tolerate: ({ field }) => void faults.push(field),
  });
  assert.deepEqual([read.status.timestamp, faults], ["yesterday", ["status.timestamp"]]);
  assert.throws(
    () => clientCodec.decodeResponse("GetTask", "x", { tolerate: () => undefined }),
    ContractFault,
  );
  const update = {
    kind: "status-update",
    taskId: "t",
    contextId: "c",
    status: { state: "working" },
    final: false,
  };
  assert.throws(() => clientCodec.decodeResponse("SendMessage", update), ContractFault);
  assert.throws(() => clientCodec.decodeResponse("ListTasks", []), ContractFault);
  assert.throws(() => clientCodec.decodeEvent(1), ContractFault);
  for (const odd of [
    { status: 1 },
    { status: { state: "odd" } },
    { history: [1], artifacts: [1], status: {} },
  ])
    assert.throws(
      () => clientCodec.decodeResponse("GetTask", { kind: "task", id: "t", contextId: "c", ...odd }),
      ContractFault,
    );
});
