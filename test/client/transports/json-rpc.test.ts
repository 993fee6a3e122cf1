import assert from "node:assert/strict";
import { test } from "vitest";
import { RemoteError } from "../../../src/client/index.js";
import { eventStream, failure, json, result, type Seen, task } from "../scripted.js";
import { assertInvalid, errorOf, html, over } from "./errors-of.js";

test("RPC-01, RPC-02, RPC-03, RPCS-06: calls are JSON-RPC requests posted to the interface", async () => {
  const { client, seen } = await over("JSONRPC", (request) =>
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
  const { client } = await over("JSONRPC", (request) =>
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
  assert.equal(nothing.message, "The agent answered with an error without a message (status 200)");
  const silent = await errorOf("JSONRPC", (request) =>
    json({ jsonrpc: "2.0", id: request.json.id, error: { code: -32050 } }),
  );
  assert.ok(silent instanceof RemoteError);
  assert.equal(silent.message, "The agent answered with an error without a message (JSON-RPC -32050)");
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
