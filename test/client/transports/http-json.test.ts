import assert from "node:assert/strict";
import { test } from "vitest";
import { RemoteError, userMessage } from "../../../src/client/index.js";
import { write } from "../../../src/client/transports/http-json/request.js";
import type { WireRequest } from "../../../src/client/transports/transport.js";
import { completed, eventStream, json, type Seen, task } from "../scripted.js";
import { assertInvalid, errorOf, over } from "./errors-of.js";

test("RESTB-01, RESTQ-01, RESTQ-02, RESTQ-04, RESTQ-07: reads carry their members in the query", async () => {
  const page = { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 };
  const { client, seen } = await over("HTTP+JSON", () => json(page));
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
  const { client, seen } = await over("HTTP+JSON", () => json({ task }));
  const message = userMessage("grüße");
  await client.sendMessage({ message });
  assert.equal(seen[0]?.headers.get("Content-Type"), "application/a2a+json");
  assert.equal(seen[0]?.url.pathname, "/a2a/message:send");
  assert.deepEqual(seen[0]?.json, { message });
});

test("a call without a route is refused with the name of its operation", () => {
  const wire = { method: "", http: [] };
  const request = { operation: "GetTask", wire, tenant: undefined } as unknown as WireRequest;
  assert.throws(() => write(request), {
    code: "INVALID_REQUEST",
    message: "The request cannot be sent: it needs a route for GetTask, which this version does not have",
  });
});

test("REST-06: what no path can carry is refused here, with the member", async () => {
  const { client, seen } = await over("HTTP+JSON", () => json(task));
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
    const { client } = await over("HTTP+JSON", () => json(task, { status }));
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
  for (const [type, code] of Object.entries({
    "parse-error": "PARSE_ERROR",
    "internal-error": "INTERNAL_ERROR",
    "task-not-found-error": "TASK_NOT_FOUND",
  })) {
    assert.deepEqual(await read({ type: `https://a.example/${type}`, detail: "No" }, 400), [code, "No"]);
  }
  assert.deepEqual(await read({ code: 5, message: "gone" }, 404), ["TASK_NOT_FOUND", "gone"]);
  assert.deepEqual(await read({ error: { code: 400, message: "no" } }, 400), ["BAD_REQUEST", "no"]);
  assert.deepEqual(await read({}, 400), [
    "BAD_REQUEST",
    "The agent answered with an error without a message (status 400)",
  ]);
  assert.deepEqual(await read("", 415), ["CONTENT_TYPE_NOT_SUPPORTED", "Content type not supported"]);
  assert.deepEqual(await read("", 502), ["INVALID_AGENT_RESPONSE", "Invalid agent response"]);
  assert.deepEqual(await read("", 405), ["METHOD_NOT_FOUND", "Method not found"]);
  assert.deepEqual(await read("", 418), [
    "UNKNOWN",
    "The agent answered with an error without a message (status 418)",
  ]);
});

test("ERR-15: a status 409 without a reason means that a task cannot be canceled only for CancelTask", async () => {
  const { client } = await over("HTTP+JSON", () => json({ title: "Conflict" }, { status: 409 }));
  const refused = { message: "Conflict", httpStatus: 409 };
  await assert.rejects(client.cancelTask({ id: "t" }), { ...refused, code: "TASK_NOT_CANCELABLE" });
  await assert.rejects(client.getTask({ id: "t" }), { ...refused, code: "UNKNOWN" });
  await assert.rejects(client.sendText("hi"), { ...refused, code: "UNKNOWN" });
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
  const { client } = await over("HTTP+JSON", () => json({}, { status: 404 }));
  await assert.rejects(client.listTasks({}), { code: "METHOD_NOT_FOUND" });
});

test("REST-04: a subscription that is not known by POST is tried once more by GET", async () => {
  for (const status of [404, 405, 501]) {
    const { client, seen } = await over("HTTP+JSON", ({ method }) =>
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
  const known = await over("HTTP+JSON", () => json({ error: gone }, { status: 404 }));
  await assert.rejects(known.client.subscribeToTask({ id: "t" }).result(), { code: "TASK_NOT_FOUND" });
  assert.equal(known.seen.length, 1);
  const unknown = await over("HTTP+JSON", () => new Response("", { status: 405 }));
  await assert.rejects(unknown.client.subscribeToTask({ id: "t" }).result(), { code: "METHOD_NOT_FOUND" });
  assert.equal(unknown.seen.length, 2);
});

test("a subscription whose server knows neither verb fails with what it said", async () => {
  const { client } = await over("HTTP+JSON", () =>
    json({ error: { code: 501, message: "No streams" } }, { status: 501 }),
  );
  await assert.rejects(client.subscribeToTask({ id: "t" }).result(), {
    code: "METHOD_NOT_FOUND",
    message: "No streams",
  });
});
