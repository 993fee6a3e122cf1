import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError, type AgentCard, type Message, type StreamResponse, type Task } from "../../src/index.js";
import { operationErrors, operations, protocolVersion } from "../../src/protocol/operations.js";
import { type CodecVersion, codecVersions, loadVersionCodec, readCard } from "../../src/versions/index.js";
import { recognizeError } from "../../src/versions/received-error.js";

const task: Task = {
  id: "t1",
  contextId: "c1",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-01-31T12:00:00Z" },
  artifacts: [{ artifactId: "0", parts: [{ text: "done" }] }],
};

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

test("there are codecs of these versions, and no others can be loaded", async () => {
  assert.deepEqual(codecVersions.slice(-3), ["1.0", "0.3", "0.1"]);
  for (const version of codecVersions) assert.equal((await loadVersionCodec(version)).version, version);
  await assert.rejects(
    loadVersionCodec("0.1-flat" as CodecVersion),
    /No codec for protocol version 0.1-flat/,
  );
});

test("methods and operations are those of the version", async () => {
  const [first, third, newest] = await Promise.all((["0.1", "0.3", "1.0"] as const).map(loadVersionCodec));
  assert.deepEqual(
    [first, third, newest].map((codec) => [codec?.methodOf("SendMessage"), codec?.methodOf("ListTasks")]),
    [
      ["tasks/send", undefined],
      ["message/send", undefined],
      ["SendMessage", "ListTasks"],
    ],
  );
  assert.deepEqual(
    [first, third, newest].map((codec) => codec?.operationOf("message/stream")),
    [undefined, "SendStreamingMessage", undefined],
  );
  for (const codec of [first!, third!, newest!]) {
    const spoken = operations.flatMap(({ name }) => codec.methodOf(name) ?? []);
    assert.ok(spoken.length >= 6);
    for (const method of spoken) assert.ok(codec.operationOf(method), `${codec.version} ${method}`);
  }
});

for (const version of codecVersions) {
  test(`requests, answers, streams and webhook calls of ${version} can be read again`, async () => {
    const codec = await loadVersionCodec(version);
    const message: Message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Hello" }], taskId: "t1" };
    const sent = codec.readRequest("SendMessage", codec.writeRequest("SendMessage", { message }));
    assert.deepEqual([sent.message.role, sent.message.parts], ["ROLE_USER", [{ text: "Hello" }]]);
    assert.equal(sent.message.taskId, "t1");
    const request = { id: "t1" };
    const written = codec.writeResponse("GetTask", task, request);
    assert.equal(
      JSON.stringify(codec.readResponse("GetTask", written, request).status),
      JSON.stringify(task.status),
    );
    const isNewest = version.split(".")[0] === protocolVersion.split(".")[0];
    const events: StreamResponse[] = [
      { statusUpdate: { taskId: "t1", contextId: "c1", status: { state: "TASK_STATE_WORKING" } } },
      { task },
      { statusUpdate: { taskId: "t1", contextId: "c1", status: { state: "TASK_STATE_WORKING" } } },
    ];
    const results = await collect(codec.writeStream("SubscribeToTask", events));
    const read = await collect(codec.readStream("SubscribeToTask", results, request));
    const states = read.map(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state);
    assert.equal(states[0], "TASK_STATE_WORKING");
    // The newest major version marks no event as the last: the end of the connection does.
    assert.equal(states.at(-1), isNewest ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED");
    const marked = results.map((result) => (result as { final?: boolean }).final ?? false);
    const last = marked.indexOf(true);
    assert.equal(last, isNewest ? -1 : results.length - 1);
    const told = codec.readNotification(codec.writeNotification({ task }, task));
    assert.equal((told?.task ?? told?.statusUpdate)?.status.state, "TASK_STATE_COMPLETED");
  });

  test(`invalid values of ${version} are errors that name the member`, async () => {
    const codec = await loadVersionCodec(version);
    assert.throws(() => codec.readRequest("GetTask", { id: 1 }), {
      code: "INVALID_PARAMS",
      violations: [{ field: "id", description: "must be a string" }],
    });
    assert.throws(() => codec.writeRequest("GetTask", {} as { id: string }), {
      code: "INVALID_PARAMS",
      message: "Invalid request: id is required",
    });
    const broken = { id: "t1", contextId: "c1", status: 1 };
    assert.throws(() => codec.readResponse("GetTask", broken, { id: "t1" }), {
      code: "INVALID_AGENT_RESPONSE",
      message: /^Invalid response: status must be an object/,
    });
    await assert.rejects(
      collect(codec.readStream("SubscribeToTask", [{ status: 1 }, 7], { id: "t1" })),
      A2AError,
    );
    assert.throws(() => codec.readNotification(7), { code: "INVALID_PARAMS" });
  });

  test(`errors of ${version} keep code, text, violations and metadata`, async () => {
    const codec = await loadVersionCodec(version);
    const codes = ["TASK_NOT_FOUND", "TASK_NOT_CANCELABLE", "INVALID_PARAMS", "RATE_LIMITED"] as const;
    for (const code of codes) {
      const violations = [{ field: "id", description: "is required" }];
      const error = new A2AError(code, undefined, { violations, metadata: { taskId: "t1" } });
      const read = codec.readError("GetTask", codec.writeError(error));
      assert.deepEqual([read.code, read.violations, read.metadata], [code, violations, { taskId: "t1" }]);
    }
    const bare = codec.readError("GetTask", { code: -32001, message: "gone" });
    assert.deepEqual([bare.code, bare.message], ["TASK_NOT_FOUND", "gone"]);
    assert.equal(codec.readError("GetTask", { code: -31999, message: "odd" }).code, "INTERNAL_ERROR");
    assert.equal(codec.readError("GetTask", undefined).code, "INTERNAL_ERROR");
  });
}

test("a request for the webhook of a task can be read again in every version", async () => {
  const request = { taskId: "t1", id: "t1" };
  for (const version of codecVersions) {
    const codec = await loadVersionCodec(version);
    const written = codec.writeRequest("GetTaskPushNotificationConfig", request);
    assert.deepEqual(codec.readRequest("GetTaskPushNotificationConfig", written), request, version);
  }
});

test("operations that a version lacks are UNSUPPORTED_OPERATION", async () => {
  const codec = await loadVersionCodec("0.1");
  const lacking = {
    code: "UNSUPPORTED_OPERATION",
    message: "Protocol version 0.1 has no GetExtendedAgentCard",
  };
  assert.throws(() => codec.writeRequest("GetExtendedAgentCard", {}), lacking);
  assert.throws(() => codec.writeResponse("GetExtendedAgentCard", {} as AgentCard, {}), lacking);
  const page = { tasks: [task], nextPageToken: "", pageSize: 1, totalSize: 1 };
  assert.throws(() => codec.writeResponse("ListTasks", page, {}), {
    message: "Protocol version 0.1 has no ListTasks",
  });
  const older = await loadVersionCodec("0.3");
  assert.throws(() => older.writeRequest("ListTasks", {}), {
    code: "UNSUPPORTED_OPERATION",
    message: "Protocol version 0.3 has no JSON-RPC method for ListTasks",
  });
});

test("a response that a version writes as a stream only is refused as such", async () => {
  const codec = await loadVersionCodec("0.1");
  assert.throws(() => codec.writeResponse("SubscribeToTask", { task }, { id: "t1" }), {
    code: "UNSUPPORTED_OPERATION",
    message: "Protocol version 0.1 answers SubscribeToTask with a stream: use writeStream",
  });
});

test("every version refuses to write an empty response or event", async () => {
  const message: Message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Hello" }] };
  const refused = (what: string) => ({
    code: "INVALID_AGENT_RESPONSE",
    message: `Invalid ${what}: the value must have a task, a message or an update`,
  });
  for (const codec of await Promise.all(codecVersions.map(loadVersionCodec))) {
    for (const empty of [{}, null, undefined] as { task: Task }[]) {
      for (const name of ["SendMessage", "SendStreamingMessage"] as const) {
        assert.throws(() => codec.writeResponse(name, empty, { message }), refused("response"));
      }
      for (const name of ["SendStreamingMessage", "SubscribeToTask"] as const) {
        await assert.rejects(collect(codec.writeStream(name, [empty])), refused("event"));
      }
    }
  }
});

test("a page token that is not one of the list is the fault of the request, not of the response", async () => {
  const codec = await loadVersionCodec("0.3");
  assert.throws(() => codec.readResponse("ListTasks", [], { pageToken: "abc" }), {
    code: "INVALID_PARAMS",
    message: "Invalid request: pageToken must be a token of this list",
    violations: [{ field: "pageToken", description: "must be a token of this list" }],
  });
});

test("a plain response to a streaming operation is read as an event", async () => {
  for (const version of codecVersions) {
    const codec = await loadVersionCodec(version);
    const [result] = await collect(codec.writeStream("SubscribeToTask", [{ task }]));
    const read = codec.readResponse("SubscribeToTask", result, { id: "t1" });
    assert.equal((read.task ?? read.statusUpdate)?.status.state, "TASK_STATE_COMPLETED", version);
    const message: Message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Hello" }] };
    const [first] = await collect(codec.writeStream("SendStreamingMessage", [{ task }]));
    const sent = codec.readResponse("SendStreamingMessage", first, { message });
    assert.equal(sent.task?.id, "t1", version);
    for (const other of [{ kind: "heartbeat" }, {}, 7]) {
      assert.throws(() => codec.readResponse("SubscribeToTask", other, { id: "t1" }), {
        code: "INVALID_AGENT_RESPONSE",
        message: /^Invalid response: the value must (have exactly one of task, message|be an object)/,
      });
    }
  }
  const older = await loadVersionCodec("0.3");
  const written = older.writeResponse("SubscribeToTask", { task }, { id: "t1" });
  assert.equal(older.readResponse("SubscribeToTask", written, { id: "t1" }).task?.id, "t1");
});

test("a stream of 0.3 ends with an event in snake_case that is marked as the last", async () => {
  const codec = await loadVersionCodec("0.3");
  const status = { state: "TASK_STATE_COMPLETED" };
  const last = { status_update: { task_id: "t1", context_id: "c1", status, final: true } };
  const read = await collect(codec.readStream("SubscribeToTask", [last, { kind: "task" }], { id: "t1" }));
  assert.deepEqual(read, [{ statusUpdate: { taskId: "t1", contextId: "c1", status } }]);
});

test("absent params of a request are read as an empty object", async () => {
  for (const version of ["1.0", "0.3"] as const) {
    const codec = await loadVersionCodec(version);
    assert.deepEqual(codec.readRequest("GetExtendedAgentCard", undefined), {});
    assert.throws(() => codec.readRequest("GetTask", null), {
      code: "INVALID_PARAMS",
      violations: [{ field: "id", description: "is required" }],
    });
  }
});

test("the webhook of a task in 0.1 is read as one or as a list", async () => {
  const codec = await loadVersionCodec("0.1");
  const config = { taskId: "t1", id: "t1", url: "https://example.com/hook" };
  const one = codec.writeResponse("GetTaskPushNotificationConfig", config, { taskId: "t1", id: "t1" });
  const all = codec.writeResponse("ListTaskPushNotificationConfigs", { configs: [config] }, { taskId: "t1" });
  assert.deepEqual(one, all);
  const read = codec.readResponse("GetTaskPushNotificationConfig", one, { taskId: "t1", id: "t1" });
  assert.equal(read.url, config.url);
});

test("cards are read in any version and written in each that they have an interface of", async () => {
  const shared = {
    name: "Echo",
    description: "Says it again",
    version: "1",
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const old = {
    ...shared,
    protocolVersion: "0.3.0",
    url: "https://agent.example/rpc",
    preferredTransport: "JSONRPC",
  };
  const card = readCard(old);
  assert.deepEqual(card.supportedInterfaces, [
    { url: "https://agent.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3.0" },
  ]);
  const third = (await loadVersionCodec("0.3")).writeCard(card) as typeof old;
  assert.deepEqual(
    [third.url, third.protocolVersion, third.capabilities],
    [old.url, "0.3.0", { streaming: true }],
  );
  assert.equal((await loadVersionCodec("0.1")).writeCard(card), undefined);
  assert.throws(() => readCard("card"), { code: "INVALID_AGENT_RESPONSE", message: /must be an agent card/ });
  assert.throws(() => readCard({ ...old, name: 7 }), {
    code: "INVALID_AGENT_RESPONSE",
    message: /name must be a string/,
  });
});

test("lists are plain lists", async () => {
  const codec = await loadVersionCodec("0.3");
  const page = { tasks: [task], nextPageToken: "", pageSize: 1, totalSize: 1 };
  const written = codec.writeResponse("ListTasks", page, {});
  assert.ok(Array.isArray(written));
  assert.equal((written[0] as { kind: string }).kind, "task");
});

test("a 404 without a reason is TASK_NOT_FOUND for the operations that have this error", () => {
  for (const { name } of operations) {
    const { code } = recognizeError({ operation: name, httpStatus: 404 });
    const expected = operationErrors[name].includes("TASK_NOT_FOUND") ? "TASK_NOT_FOUND" : "METHOD_NOT_FOUND";
    assert.equal(code, expected, name);
  }
});

test("an error whose texts are objects is read, with the objects as JSON", async () => {
  const odd = { toString: 1 };
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "TASK_NOT_FOUND",
    metadata: { odd },
  };
  const request = { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: odd }] };
  const data = [{ "@type": odd }, info, request];
  const { code, metadata, violations } = recognizeError({ operation: "GetTask", details: data });
  assert.equal(code, "TASK_NOT_FOUND");
  assert.deepEqual(metadata, { odd: '{"toString":1}' });
  assert.deepEqual(violations, [{ field: '{"toString":1}', description: "" }]);
  const older = await loadVersionCodec("0.1");
  assert.equal(older.readError("GetTask", { code: -32009, message: odd }).code, "UNSUPPORTED_OPERATION");
});
