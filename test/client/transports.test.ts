import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type BindingName,
  type Client,
  ClientError,
  RemoteError,
  userMessage,
} from "../../src/client/index.js";
import {
  completed,
  eventStream,
  failure,
  json,
  result,
  type Seen,
  clientOf as scriptedClient,
  task,
} from "./scripted.js";

type Answer = Parameters<typeof scriptedClient>[0];

function clientOf(binding: BindingName, answer: Answer, more: Parameters<typeof scriptedClient>[1] = {}) {
  return scriptedClient(answer, { bindings: [binding], retry: false, resume: false, ...more });
}

/** The error of reading a task. */
async function errorOf(binding: BindingName, answer: Answer): Promise<unknown> {
  const { client } = await clientOf(binding, answer);
  return client.getTask({ id: "t" }).then(
    () => assert.fail("the call must fail"),
    (error: unknown) => error,
  );
}

function assertInvalid(error: unknown, expected: string, received: string): void {
  assert.ok(error instanceof ClientError, String(error));
  assert.equal(error.code, "INVALID_RESPONSE");
  assert.equal(error.expected, expected);
  assert.equal(error.received, received);
}

const html = (status: number) =>
  new Response("<html>", { status, headers: { "Content-Type": "text/html; charset=x" } });

test("RPC-01, RPC-02, RPC-03, RPCS-06: calls are JSON-RPC requests posted to the interface", async () => {
  const { client, seen } = await clientOf("JSONRPC", (request) =>
    request.json.method === "SendStreamingMessage" ? eventStream([]) : result(request, task),
  );
  await client.cancelTask({ id: "t", metadata: { why: "x" } });
  const [{ method, url, headers, json: body }] = seen as [Seen];
  assert.equal(method, "POST");
  assert.equal(url.pathname, "/a2a");
  assert.equal(headers.get("Content-Type"), "application/json");
  assert.equal(headers.get("Accept"), "application/json");
  assert.deepEqual(body, {
    jsonrpc: "2.0",
    id: 1,
    method: "CancelTask",
    params: { id: "t", metadata: { why: "x" } },
  });
  await assert.rejects(client.stream("x").result());
  assert.equal(seen[1]?.headers.get("Accept"), "text/event-stream, application/json");
  assert.equal(seen[1]?.json.id, 2);
});

test("RPC-20: an answer to another request is not valid; an error may lack the id", async () => {
  assertInvalid(
    await errorOf("JSONRPC", () => json({ jsonrpc: "2.0", id: 9, result: task })),
    "id 1",
    "id 9",
  );
  assertInvalid(
    await errorOf("JSONRPC", () => json({ jsonrpc: "2.0", id: "1", result: task })),
    "id 1",
    'id "1"',
  );
  assertInvalid(
    await errorOf("JSONRPC", () => json({ jsonrpc: "2.0", id: null, result: task })),
    "id 1",
    "id null",
  );
  const error = await errorOf("JSONRPC", () =>
    json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "No" } }),
  );
  assert.ok(error instanceof RemoteError);
  assert.equal(error.code, "PARSE_ERROR");
  const other = { jsonrpc: "2.0", id: 9, error: { code: -32001 } };
  assertInvalid(await errorOf("JSONRPC", () => json(other)), "id 1", "id 9");
});

test("RPC-21: an answer with both result and error, or with neither, is not valid", async () => {
  const both = (request: Seen) =>
    json({ jsonrpc: "2.0", id: request.json.id, result: task, error: { code: 1 } });
  assertInvalid(await errorOf("JSONRPC", both), "result or error", "both");
  const neither = (request: Seen) => json({ jsonrpc: "2.0", id: request.json.id });
  assertInvalid(await errorOf("JSONRPC", neither), "result or error", "neither");
  const { client } = await clientOf("JSONRPC", (request) =>
    json({ jsonrpc: "2.0", id: request.json.id, result: task, error: null }),
  );
  assert.deepEqual(await client.getTask({ id: "t" }), task);
});

test("an answer in another envelope is not valid", async () => {
  const bare = await errorOf("JSONRPC", (request) => json({ id: request.json.id, result: task }));
  assertInvalid(bare, 'jsonrpc "2.0"', "another envelope");
  assertInvalid(await errorOf("JSONRPC", () => json([])), "a JSON-RPC response", "JSON of another kind");
  const empty = await errorOf("JSONRPC", () => new Response(""));
  assertInvalid(empty, "a JSON-RPC response", "HTTP 200 with an empty body");
  assertInvalid(
    await errorOf("JSONRPC", () => html(200)),
    "a JSON-RPC response",
    "HTTP 200 with text/html (6 characters)",
  );
  assertInvalid(
    await errorOf("JSONRPC", () => html(404)),
    "a JSON-RPC response",
    "HTTP 404 with text/html (6 characters)",
  );
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
  assertInvalid(
    await errorOf("JSONRPC", () => new Response(deep, { headers: { "Content-Type": "application/json" } })),
    "a JSON-RPC response",
    "HTTP 200 with application/json (400 characters)",
  );
});

test("RPC-22, ERR-26: errors with unknown numbers keep number, text and data", async () => {
  const error = await errorOf("JSONRPC", (request) => failure(request, -31999, { data: { hint: 1 } }));
  assert.ok(error instanceof RemoteError);
  assert.equal(error.name, "RemoteError");
  assert.equal(error.code, "UNKNOWN");
  assert.equal(error.jsonRpcCode, -31999);
  assert.equal(error.message, "No");
  assert.deepEqual(error.details, [{ hint: 1 }]);
  const nothing = await errorOf("JSONRPC", (request) =>
    json({ jsonrpc: "2.0", id: request.json.id, error: {} }),
  );
  assert.ok(nothing instanceof RemoteError);
  assert.equal(nothing.message, "The agent answered with an error (HTTP 200)");
});

test("ERR-15: the reason counts, then the number", async () => {
  const info = (reason: string, domain?: string) => ({
    data: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain, metadata: { n: 1 } }],
  });
  const code = async (number: number, more?: object, init?: ResponseInit) => {
    const error = await errorOf("JSONRPC", (request) =>
      json({ jsonrpc: "2.0", id: request.json.id, error: { code: number, message: "No", ...more } }, init),
    );
    assert.ok(error instanceof RemoteError);
    return error.code;
  };
  assert.equal(await code(-32603, info("TASK_NOT_FOUND", "a2a-protocol.org")), "TASK_NOT_FOUND");
  assert.equal(await code(-32603, info("TASK_NOT_FOUND")), "TASK_NOT_FOUND");
  assert.equal(await code(-32002, info("TASK_NOT_FOUND", "else.example")), "TASK_NOT_CANCELABLE");
  assert.equal(await code(-32002, info("OUT_OF_CHEESE")), "TASK_NOT_CANCELABLE");
  assert.equal(await code(-32601), "METHOD_NOT_FOUND");
  assert.equal(await code(-32000, {}, { status: 403 }), "PERMISSION_DENIED");
  assert.equal(await code(-32603, {}, { status: 503 }), "UNAVAILABLE");
  assert.equal(await code(-32600, {}, { status: 413 }), "REQUEST_TOO_LARGE");
  assert.equal(await code(-32001, {}, { status: 500 }), "TASK_NOT_FOUND");
});

test("OP-PUSH-21, RESTB-08: whatever confirms a delete is taken", async () => {
  const answers: Answer[] = [
    (request) => result(request, null),
    (request) => result(request, {}),
    () => new Response(null, { status: 204 }),
    () => new Response(""),
  ];
  for (const answer of answers) {
    const { client } = await clientOf("JSONRPC", answer);
    assert.equal(await client.deleteTaskPushNotificationConfig({ taskId: "t", id: "p" }), null);
  }
  for (const answer of [
    () => json({}),
    () => json(null),
    () => new Response(null, { status: 204 }),
    () => new Response(""),
  ]) {
    const { client, seen } = await clientOf("HTTP+JSON", answer);
    assert.equal(await client.deleteTaskPushNotificationConfig({ taskId: "t", id: "p/1" }), null);
    assert.equal(seen[0]?.method, "DELETE");
    assert.equal(seen[0].url.pathname, "/a2a/tasks/t/pushNotificationConfigs/p%2F1");
    assert.equal(seen[0].text, "");
  }
});

test("RESTB-01, RESTQ-01, RESTQ-02, RESTQ-04, RESTQ-07: reads carry their members in the query", async () => {
  const page = { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 };
  const { client, seen } = await clientOf("HTTP+JSON", () => json(page));
  await client.listTasks({
    status: "TASK_STATE_WORKING",
    pageSize: 5,
    includeArtifacts: true,
    pageToken: "a+b&c#d%e:f",
    statusTimestampAfter: "2026-01-01T00:00:00.000Z",
    contextId: "",
  });
  const [{ method, url, headers, text }] = seen as [Seen];
  assert.equal(method, "GET");
  assert.equal(text, "");
  assert.equal(headers.get("Accept"), "application/a2a+json, application/json");
  assert.equal(
    url.search,
    "?status=TASK_STATE_WORKING&pageSize=5&includeArtifacts=true&pageToken=a%2Bb%26c%23d%25e%3Af&statusTimestampAfter=2026-01-01T00%3A00%3A00.000Z",
  );
});

test("RESTB-01, RESTB-10: sends carry their members in a body", async () => {
  const { client, seen } = await clientOf("HTTP+JSON", () => json({ task }));
  const message = userMessage("grüße");
  await client.sendMessage({ message });
  assert.equal(seen[0]?.headers.get("Content-Type"), "application/a2a+json");
  assert.equal(seen[0]?.url.pathname, "/a2a/message:send");
  assert.deepEqual(seen[0]?.json, { message });
});

test("REST-06: what no path can carry is refused here, with the member", async () => {
  const { client, seen } = await clientOf("HTTP+JSON", () => json(task));
  for (const id of ["..", ".", "\ud800"]) {
    await assert.rejects(client.getTask({ id }), { name: "ClientError", code: "INVALID_REQUEST" });
  }
  await assert.rejects(client.createTaskPushNotificationConfig({ url: "https://h.example" }), {
    code: "INVALID_REQUEST",
    field: "taskId",
  });
  assert.equal(seen.length, 0);
});

test("RESTB-08: every 2xx is a success", async () => {
  for (const status of [200, 201, 202]) {
    const { client } = await clientOf("HTTP+JSON", () => json(task, { status }));
    assert.deepEqual(await client.getTask({ id: "t" }), task);
  }
  const error = await errorOf("HTTP+JSON", () => new Response(null, { status: 204 }));
  assertInvalid(error, "a JSON object", "HTTP 204 with an empty body");
});

test("RESTB-09, ERR-15, ERR-16: errors are read in every form that peers write", async () => {
  const read = async (body: object | string, status: number) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const error = await errorOf("HTTP+JSON", () => new Response(text, { status }));
    assert.ok(error instanceof RemoteError, String(error));
    assert.equal(error.httpStatus, status);
    return [error.code, error.message];
  };
  const details = [
    { "@type": "x/google.rpc.ErrorInfo", reason: "TASK_NOT_CANCELABLE", domain: "a2a-protocol.org" },
  ];
  const rpc = { code: 400, status: "FAILED_PRECONDITION", message: "Over", details };
  assert.deepEqual(await read({ error: rpc }, 400), ["TASK_NOT_CANCELABLE", "Over"]);
  const problem = {
    type: "https://a2a-protocol.org/errors/version-not-supported",
    title: "Old",
    status: 400,
    detail: "Too old",
  };
  assert.deepEqual(await read(problem, 400), ["VERSION_NOT_SUPPORTED", "Too old"]);
  assert.deepEqual(await read({ type: "about:blank", title: "Conflict" }, 409), [
    "TASK_NOT_CANCELABLE",
    "Conflict",
  ]);
  assert.deepEqual(await read({ code: 5, message: "gone" }, 404), ["TASK_NOT_FOUND", "gone"]);
  assert.deepEqual(await read({ error: { code: 400, message: "no" } }, 400), ["BAD_REQUEST", "no"]);
  assert.deepEqual(await read({}, 400), ["BAD_REQUEST", "The agent answered with an error (HTTP 400)"]);
  assert.deepEqual(await read("", 415), ["CONTENT_TYPE_NOT_SUPPORTED", "Content type not supported"]);
  assert.deepEqual(await read("", 502), ["INVALID_AGENT_RESPONSE", "Invalid agent response"]);
  assert.deepEqual(await read("", 405), ["METHOD_NOT_FOUND", "Method not found"]);
  assert.deepEqual(await read("", 418), ["UNKNOWN", "The agent answered with an error (HTTP 418)"]);
});

test("ERR-12, ERR-26: faults in the request are given by member", async () => {
  const violations = [{ field: "message.parts", description: "must have at least one element" }];
  const details = [
    null,
    { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [...violations, 7] },
  ];
  const error = await errorOf("HTTP+JSON", () =>
    json({ error: { code: 400, message: "No", details } }, { status: 400 }),
  );
  assert.ok(error instanceof RemoteError);
  assert.equal(error.code, "INVALID_PARAMS");
  assert.deepEqual(error.violations, violations);
  assert.equal(error.details.length, 2);
});

test("an absent route is no absent task where no task was asked for", async () => {
  const { client } = await clientOf("HTTP+JSON", () => json({}, { status: 404 }));
  await assert.rejects(client.listTasks({}), { code: "METHOD_NOT_FOUND" });
});

for (const binding of ["JSONRPC", "HTTP+JSON"] satisfies BindingName[]) {
  test(`pages of proxies are errors that say what came [${binding}]`, async () => {
    for (const [status, code] of [
      [401, "UNAUTHENTICATED"],
      [403, "PERMISSION_DENIED"],
      [429, "RATE_LIMITED"],
      [502, "UNAVAILABLE"],
      [503, "UNAVAILABLE"],
      [504, "DEADLINE_EXCEEDED"],
    ] as const) {
      const error = await errorOf(binding, () => html(status));
      assert.ok(error instanceof RemoteError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, new RegExp(`HTTP ${status} with text/html`));
    }
    const error = await errorOf(binding, () => html(500));
    assert.ok(error instanceof ClientError);
    assert.match(error.message, /expected a JSON.*, received HTTP 500 with text\/html/);
  });

  test(`ERR-26: the time to wait is read, in seconds or as a date [${binding}]`, async () => {
    const after = async (value: string) => {
      const headers = { "Retry-After": value };
      const error = await errorOf(binding, () => new Response("", { status: 429, headers }));
      assert.ok(error instanceof RemoteError);
      return error.retryAfter;
    };
    assert.equal(await after("7"), 7);
    assert.equal(await after("soon"), undefined);
    const seconds = await after(new Date(Date.now() + 60_000).toUTCString());
    assert.ok(seconds !== undefined && seconds > 50 && seconds <= 60);
  });

  test(`a stream in the place of one answer is not valid, nor read [${binding}]`, async () => {
    const error = await errorOf(binding, () => eventStream(["data: {}\n\n"], "open"));
    assertInvalid(error, "one answer", "an event stream");
  });
}

test("REST-04: a subscription that is not known by POST is tried once more by GET", async () => {
  for (const status of [404, 405, 501]) {
    const { client, seen } = await clientOf("HTTP+JSON", ({ method }) =>
      method === "POST"
        ? new Response("nope", { status })
        : eventStream([`data: ${JSON.stringify({ task: { ...task, status: completed } })}\n\n`]),
    );
    const { task: ended } = await client.subscribeToTask({ id: "t" }).result();
    assert.equal(ended?.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(
      seen.map(({ method, url }) => `${method} ${url.pathname}`),
      ["POST /a2a/tasks/t:subscribe", "GET /a2a/tasks/t:subscribe"],
    );
  }
});

test("REST-04: a task that is not there is not asked for twice, and the second answer counts", async () => {
  const gone = {
    code: 404,
    message: "Gone",
    details: [{ "@type": "x/google.rpc.ErrorInfo", reason: "TASK_NOT_FOUND" }],
  };
  const known = await clientOf("HTTP+JSON", () => json({ error: gone }, { status: 404 }));
  await assert.rejects(known.client.subscribeToTask({ id: "t" }).result(), { code: "TASK_NOT_FOUND" });
  assert.equal(known.seen.length, 1);
  const unknown = await clientOf("HTTP+JSON", () => new Response("", { status: 405 }));
  await assert.rejects(unknown.client.subscribeToTask({ id: "t" }).result(), { code: "METHOD_NOT_FOUND" });
  assert.equal(unknown.seen.length, 2);
});

async function subscribe(client: Client): Promise<unknown> {
  return client.subscribeToTask({ id: "t" }).result();
}

test("a subscription whose server knows neither verb fails with what it said", async () => {
  const { client } = await clientOf("HTTP+JSON", () =>
    json({ error: { code: 501, message: "No streams" } }, { status: 501 }),
  );
  await assert.rejects(subscribe(client), { code: "METHOD_NOT_FOUND", message: "No streams" });
});
