import assert from "node:assert/strict";
import { test } from "vitest";
import { enums } from "../../../generated/v0.3/fields.js";
import type { Task } from "../../../src/protocol/model.js";
import { clientCodec } from "../../../src/versions/v0.3/client-codec.js";
import { codec } from "../../../src/versions/v0.3/codec.js";
import { ContractFault } from "../../../src/versions/version.js";

const rest = clientCodec.forBinding!("HTTP+JSON");
const proto = codec.dialectOf!({ method: undefined, value: {} });
const status = { state: "TASK_STATE_WORKING" } as const;

test("every state of 0.3 is read as one of the model, and written as it was, in both dialects", () => {
  for (const state of Object.keys(enums.TaskState)) {
    const read = clientCodec.decodeResponse("GetTask", {
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state },
    }) as Task;
    const written: any = codec.encodeResponse("GetTask", read, { id: "t" });
    assert.equal(written.status.state, state);
    const other: any = proto.encodeResponse("GetTask", read, { id: "t" });
    assert.deepEqual(rest.decodeResponse("GetTask", other), read);
  }
});

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
    "data without a kind, wrapped or not",
    {
      message: {
        messageId: "m",
        role: "ROLE_AGENT",
        content: [{ data: { data: { a: 1 } } }, { data: { a: 1 } }, { data: {} }],
      },
    },
    {
      message: {
        messageId: "m",
        role: "ROLE_AGENT",
        parts: [{ data: { a: 1 } }, { data: { a: 1 } }, { data: {} }],
      },
    },
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
  for (const [name, ids] of [
    ["tasks/t/pushNotificationConfigs/c/1\n", { taskId: "t", id: "c/1\n" }],
    ["tasks/t/pushNotificationConfigs/", { taskId: "t" }],
    ["tasks/t", { taskId: "t" }],
    ["tasks/t/pushConfigs/c", {}],
  ] as const) {
    assert.deepEqual(
      clientCodec.decodeResponse("GetTaskPushNotificationConfig", { ...named, name }),
      { url: "https://x", ...ids },
      name,
    );
  }
  const snake = { task_id: "t", push_notification_config: { id: "c", url: "https://x" } };
  assert.deepEqual(clientCodec.decodeResponse("GetTaskPushNotificationConfig", snake), config);
  for (const [list, configs] of [
    [{ configs: [named] }, [config]],
    [{}, []],
    [{ configs: null }, []],
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

test("a list of webhooks has pages in the shapes of the protocol buffers only", () => {
  const name = "ListTaskPushNotificationConfigs";
  const config = { taskId: "t", id: "c", url: "https://x" };
  const wire = { taskId: "t", pushNotificationConfig: { id: "c", url: "https://x" } };
  for (const [page, configs, token] of [
    [{ configs: [wire], nextPageToken: "p2" }, [config], "p2"],
    [{ configs: [wire], next_page_token: "p2" }, [config], "p2"],
    [{ next_page_token: "p2" }, [], "p2"],
    [{ configs: [wire], nextPageToken: 7 }, [config], ""],
    [[wire], [config], ""],
  ] as const) {
    for (const binding of ["HTTP+JSON", "GRPC"]) {
      const paged = clientCodec.forBinding!(binding);
      assert.deepEqual(paged.decodeResponse(name, page), { configs, nextPageToken: token }, binding);
    }
    // JSON-RPC has no member for the token of a request.
    assert.deepEqual(clientCodec.decodeResponse(name, page), { configs, nextPageToken: "" });
  }
  const request = { taskId: "t", pageSize: 2, pageToken: "p2" };
  assert.deepEqual(rest.encodeRequest(name, request), { id: "t", pageSize: 2, pageToken: "p2" });
  assert.deepEqual(clientCodec.forBinding!("GRPC").encodeRequest(name, request), {
    parent: "tasks/t",
    pageSize: 2,
    pageToken: "p2",
  });
  assert.deepEqual(clientCodec.encodeRequest(name, request), { id: "t" });
});

test("a list of tasks is read as the page that is asked for, in either dialect", () => {
  const tasks = [
    { kind: "task", id: "a", contextId: "c", status: { state: "working" } },
    { id: "b", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
    { id: "d", contextId: "e", status: { state: "TASK_STATE_WORKING" } },
  ];
  const request = { contextId: "c", pageSize: 1 };
  const page = rest.decodeResponse("ListTasks", tasks, { request });
  assert.deepEqual(page, {
    tasks: [{ id: "a", contextId: "c", status }],
    nextPageToken: "1",
    pageSize: 1,
    totalSize: 2,
  });
  const all = rest.decodeResponse("ListTasks", tasks);
  assert.deepEqual(
    all.tasks.map(({ id }) => id),
    ["a", "b", "d"],
  );
  assert.deepEqual(rest.encodeRequest("ListTasks", { ...request, status: "TASK_STATE_CANCELED" }), {
    contextId: "c",
    status: "TASK_STATE_CANCELLED",
  });
  assert.deepEqual(rest.encodeRequest("ListTasks", {}), {});
  assert.throws(
    () => rest.encodeRequest("ListTasks", { pageToken: "x" }),
    /pageToken must be a token of this list/,
  );
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
  assert.throws(() => clientCodec.decodeResponse("ListTasks", {}), ContractFault);
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

test("JSON-10: a list of tasks that is null is empty", () => {
  for (const list of [null, { tasks: null }]) {
    const { tasks, totalSize } = clientCodec.decodeResponse("ListTasks", list, {});
    assert.deepEqual([tasks, totalSize], [[], 0]);
  }
});
