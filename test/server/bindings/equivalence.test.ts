import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError, type ErrorCode, errors } from "../../../src/protocol/errors.js";
import type { StreamResponse, Task } from "../../../src/protocol/model.js";
import {
  handlerMethod,
  type OperationName,
  operations,
  operation as row,
} from "../../../src/protocol/operations.js";
import { tag } from "../../../src/task-log/log.js";
import { drivers, httpJson, type Json, jsonRpc } from "./exchange.js";
import { type Script, scripted } from "./scripted-agent.js";

const task: Task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } };
/** A message that carries data of an extension. */
const message = {
  messageId: "m-1",
  role: "ROLE_USER",
  parts: [{ text: "hi" }],
  metadata: { "https://x.example/ext/v1/key": [null, { deep: "" }] },
  extensions: ["https://x.example/ext/v1"],
};
const config = { taskId: "t-1", id: "p-1", url: "https://x.example", token: "secret" };
const update: StreamResponse = {
  statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } },
};

/** One good call of every operation: what is sent and what comes back. */
const calls: Record<OperationName, { request: Json; answer: Json; result?: Json }> = {
  SendMessage: {
    request: { message, configuration: { historyLength: 0 }, metadata: { m: 1 } },
    answer: { task },
  },
  SendStreamingMessage: { request: { message }, answer: [{ task }, update] },
  GetTask: { request: { id: "a/b:c d ü%", historyLength: 0 }, answer: task },
  ListTasks: {
    request: {
      contextId: "c&1",
      status: "TASK_STATE_WORKING",
      pageSize: 5,
      pageToken: "+/=#",
      includeArtifacts: true,
      historyLength: 3,
      statusTimestampAfter: "2026-01-31T12:00:00.5Z",
    },
    answer: { tasks: [task], nextPageToken: "", pageSize: 5, totalSize: 1 },
  },
  CancelTask: { request: { id: "t:cancel", metadata: { why: "x" } }, answer: task },
  SubscribeToTask: { request: { id: "t-1" }, answer: [{ task }, update] },
  CreateTaskPushNotificationConfig: { request: config, answer: config },
  GetTaskPushNotificationConfig: { request: { taskId: "t/1", id: "p:1" }, answer: config },
  ListTaskPushNotificationConfigs: {
    request: { taskId: "t-1", pageSize: 2, pageToken: "x" },
    answer: { configs: [config], nextPageToken: "" },
  },
  DeleteTaskPushNotificationConfig: { request: { taskId: "t-1", id: "p-1" }, answer: null },
  GetExtendedAgentCard: { request: {}, answer: scripted({}).card },
};

function answering(operation: OperationName, answer: Json): Script {
  const stream = async function* () {
    yield* answer;
  };
  return { [handlerMethod(row(operation))]: row(operation).streaming ? stream : async () => answer };
}

function failing(operation: OperationName, error: unknown): Script {
  const stream = async function* () {
    await Promise.reject(error);
    yield task;
  };
  return { [handlerMethod(row(operation))]: row(operation).streaming ? stream : () => Promise.reject(error) };
}

for (const driver of drivers) {
  for (const { name, streaming } of operations) {
    const { request, answer } = calls[name];

    test(`BIND-01, BIND-04, OP-SEND-22, EXT-15: ${name} carries request and answer unchanged [${driver.name}]`, async () => {
      const agent = scripted(answering(name, answer));
      const outcome = await driver.call(agent, name, request);
      assert.equal(outcome.status, 200);
      if (streaming)
        assert.deepEqual(
          outcome.events,
          answer.map((result: Json) => ({ result })),
        );
      else assert.deepEqual(outcome.result, driver === httpJson ? (answer ?? {}) : answer);
      assert.equal(agent.seen.length, 1);
      assert.equal(agent.seen[0]?.method, handlerMethod(row(name)));
      assert.deepEqual({ ...(agent.seen[0]?.request as object) }, request);
      assert.equal(agent.seen[0]?.call.version, "1.0");
    });

    test(`TEN-03, TEN-05, TEN-06, REST-02: ${name} carries the tenant to the call [${driver.name}]`, async () => {
      const agent = scripted(answering(name, answer));
      await driver.call(agent, name, { ...request, tenant: "tasks/ü x" });
      assert.equal(agent.seen[0]?.call.tenant, "tasks/ü x");
      assert.deepEqual({ ...(agent.seen[0]?.request as object) }, { ...request, tenant: "tasks/ü x" });
    });

    for (const code of Object.keys(errors) as ErrorCode[]) {
      test(`ERR-02, ERR-05, ERR-08, ERR-09, BIND-01: ${name} that fails with ${code} answers it in full [${driver.name}]`, async () => {
        const error = new A2AError(code, "What went wrong", { metadata: { fact: "x" }, retryAfter: 2.5 });
        const outcome = await driver.call(scripted(failing(name, error)), name, request);
        assert.deepEqual(outcome.error, { code, message: "What went wrong", metadata: { fact: "x" } });
        assert.equal(outcome.status, errors[code][driver === jsonRpc ? "jsonRpcHttpStatus" : "httpStatus"]);
        assert.equal(outcome.headers["Retry-After"], "3");
        assert.notEqual(outcome.headers["Content-Type"], "text/event-stream");
      });
    }

    test(`RPC-09, ERR-25, SEC-12: ${name} that throws leaks nothing and is logged with its cause [${driver.name}]`, async () => {
      const secret = new Error("secret detail");
      const agent = scripted(failing(name, secret));
      const outcome = await driver.call(agent, name, request);
      assert.deepEqual(outcome.error, { code: "INTERNAL_ERROR", message: "Internal error" });
      assert.deepEqual(agent.errors, [
        { facts: { operation: name, code: "INTERNAL_ERROR", err: secret }, text: "Internal error" },
      ]);
    });

    test(`ERR-23: ${name} with faulty parameters never reaches the handler [${driver.name}]`, async () => {
      const agent = scripted(answering(name, answer));
      const faulty =
        driver === jsonRpc
          ? { ...request, tenant: 7 }
          : { ...request, metadata: 7, historyLength: "x", url: "" };
      const outcome = await driver.call(agent, name, faulty);
      // In REST the only member of some requests comes from the path, which is always text.
      const immune = [
        "SubscribeToTask",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
        "GetExtendedAgentCard",
      ];
      if (driver === httpJson && immune.includes(name)) return;
      assert.equal(outcome.error?.code, "INVALID_PARAMS");
      assert.equal(outcome.error.violations?.length, 1);
      assert.deepEqual(agent.seen, []);
    });
  }
}

const refusals: [name: string, operation: OperationName, request: Json, code: ErrorCode, field?: string][] = [
  ["OP-SEND-03", "SendMessage", {}, "INVALID_PARAMS", "message"],
  ["OP-SEND-03", "SendStreamingMessage", {}, "INVALID_PARAMS", "message"],
  [
    "OBJ-06, ERR-12",
    "SendMessage",
    { message: { ...message, parts: [{ text: "x" }, { text: "x", url: "y" }] } },
    "INVALID_PARAMS",
    "message.parts[1]",
  ],
  ["OBJ-04", "SendMessage", { message: { ...message, parts: [] } }, "INVALID_PARAMS", "message.parts"],
  ["OP-GET-05", "GetTask", { id: "" }, "INVALID_PARAMS", "id"],
  ["OP-GET-05", "CancelTask", { id: "" }, "INVALID_PARAMS", "id"],
  ["HIST-06", "GetTask", { id: "t", historyLength: -1 }, "INVALID_PARAMS", "historyLength"],
  ["PAGE-04", "ListTasks", { pageSize: 0 }, "INVALID_PARAMS", "pageSize"],
  ["PAGE-04", "ListTasks", { pageSize: 101 }, "INVALID_PARAMS", "pageSize"],
  ["OP-LIST-11", "ListTasks", { status: "done" }, "INVALID_PARAMS", "status"],
  [
    "OP-LIST-13",
    "ListTasks",
    { statusTimestampAfter: "2026-02-30T00:00:00Z" },
    "INVALID_PARAMS",
    "statusTimestampAfter",
  ],
  ["OP-PUSH-07", "CreateTaskPushNotificationConfig", { taskId: "t" }, "INVALID_PARAMS", "url"],
  [
    "OP-PUSH-08",
    "CreateTaskPushNotificationConfig",
    { taskId: "t", url: "https://x", authentication: {} },
    "INVALID_PARAMS",
    "authentication.scheme",
  ],
];

for (const driver of drivers) {
  for (const [ids, operation, request, code, field] of refusals) {
    test(`ERR-11, ${ids}: ${operation} of ${JSON.stringify(request)} is refused naming ${field} [${driver.name}]`, async () => {
      const agent = scripted({});
      const { error } = await driver.call(agent, operation, request);
      assert.equal(error?.code, code);
      assert.deepEqual(
        error.violations?.map((violation) => violation.field),
        [field],
      );
      assert.equal(error.message, `Invalid parameters: ${field} ${error.violations?.[0]?.description}`);
      assert.deepEqual(agent.seen, []);
    });
  }

  test(`OP-LIST-14, JSON-02: older spellings are read [${driver.name}]`, async () => {
    const agent = scripted({
      listTasks: async () => ({ tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 }),
    });
    await driver.call(agent, "ListTasks", {
      lastUpdatedAfter: "2026-01-31T12:00:00+01:00",
      page_size: 7,
      status: 2,
    });
    assert.deepEqual(agent.seen[0]?.request, {
      statusTimestampAfter: "2026-01-31T11:00:00Z",
      pageSize: 7,
      status: "TASK_STATE_WORKING",
    });
  });

  test(`OP-PUSH-16: a list of push configurations has both members though the handler gave none [${driver.name}]`, async () => {
    const agent = scripted({ listTaskPushNotificationConfigs: async () => ({}) });
    const { result } = await driver.call(agent, "ListTaskPushNotificationConfigs", { taskId: "t" });
    assert.deepEqual(result, { configs: [], nextPageToken: "" });
  });

  test(`OP-XCARD-09: the extended card is not for shared caches [${driver.name}]`, async () => {
    const agent = scripted({ getExtendedAgentCard: async () => agent.card });
    const { headers } = await driver.call(agent, "GetExtendedAgentCard");
    assert.equal(headers["Cache-Control"], "private, no-cache");
    assert.equal(headers.Vary, "Authorization");
  });

  test(`OP-STREAM-01, STR-18: a stream has its media type and is neither cached nor buffered [${driver.name}]`, async () => {
    const agent = scripted(answering("SendStreamingMessage", [{ task }]));
    const { headers } = await driver.call(agent, "SendStreamingMessage", { message });
    assert.deepEqual(headers, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-cache, no-transform",
      "X-Accel-Buffering": "no",
    });
  });

  test(`STR-12: a frame has the generation of its event as id, and none when it has none [${driver.name}]`, async () => {
    const agent = scripted(answering("SubscribeToTask", [tag({ task }, 3), tag({ ...update }, 4), update]));
    const { events } = await driver.call(agent, "SubscribeToTask", { id: "t-1" });
    assert.deepEqual(events, [
      { id: "3", result: { task } },
      { id: "4", result: update },
      { result: update },
    ]);
  });

  test(`OP-STREAM-10, RPCS-04, RESTS-03: an error after the first event is the last frame [${driver.name}]`, async () => {
    const agent = scripted({
      async *subscribeToTask() {
        yield { task };
        throw new TypeError("secret detail");
      },
    });
    const { status, events } = await driver.call(agent, "SubscribeToTask", { id: "t-1" });
    assert.equal(status, 200);
    assert.deepEqual(events, [
      { result: { task } },
      { event: "error", error: { code: "INTERNAL_ERROR", message: "Internal error" } },
    ]);
    assert.equal(agent.errors.length, 1);
  });

  test(`OP-STREAM-10, RPCS-03, RESTS-02: a stream without an event is an ordinary error [${driver.name}]`, async () => {
    const agent = scripted(answering("SubscribeToTask", []));
    const { error, status } = await driver.call(agent, "SubscribeToTask", { id: "t-1" });
    assert.equal(error?.code, "INVALID_AGENT_RESPONSE");
    assert.equal(status, driver === jsonRpc ? 200 : 500);
  });

  test(`RPC-09: a handler that throws at once, or answers what is no JSON, is an ordinary error [${driver.name}]`, async () => {
    const thrown = scripted({
      getTask() {
        throw new Error("secret detail");
      },
    });
    const cyclic: Json = {};
    cyclic.self = cyclic;
    for (const agent of [thrown, scripted({ getTask: async () => cyclic })]) {
      const { error } = await driver.call(agent, "GetTask", { id: "t" });
      assert.deepEqual(error, { code: "INTERNAL_ERROR", message: "Internal error" });
    }
  });

  test(`JSONV-19: a lone surrogate neither gets in nor out [${driver.name}]`, async () => {
    const agent = scripted({
      sendMessage: async ({ message }) => ({
        message: { ...message, role: "ROLE_AGENT", parts: [{ text: "out \ud800" }] },
      }),
    });
    const { result } = await driver.call(agent, "SendMessage", {
      message: { ...message, parts: [{ text: "in \udc00" }] },
    });
    assert.equal((agent.seen[0]!.request as Json).message.parts[0].text, "in \ufffd");
    assert.equal(result.message.parts[0].text, "out \ufffd");
  });
}
