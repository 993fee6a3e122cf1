import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { A2AError, type ErrorCode, errors } from "../../../../src/protocol/errors.js";
import { bindings } from "../../../../src/server/bindings/bindings.js";
import type { HostRequest } from "../../../../src/server/host.js";
import { refuse } from "../../../../src/server/pipeline.js";
import { answerJsonRpc, framesOf, httpRequest, type Json, parseFrame } from "../exchange.js";
import { scripted } from "../scripted-agent.js";

const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" as const } };
const agent = () =>
  scripted({
    getTask: async () => task,
    listTasks: async () => ({ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }),
    getExtendedAgentCard: async () => scripted({}).card,
    deleteTaskPushNotificationConfig: async () => null,
    async *subscribeToTask() {
      yield { task };
      throw new A2AError("UNAVAILABLE", "Going down");
    },
  });

async function post(
  body: string,
  more: Partial<HostRequest> = {},
): Promise<{ status: number; headers: Json; json: Json }> {
  const reply = await answerJsonRpc(httpRequest({ body, ...more }), agent());
  assert.ok("body" in reply);
  return { status: reply.status, headers: reply.headers, json: JSON.parse(String(reply.body)) };
}

const request = (more: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "t" }, ...more });

const envelopes: [ids: string, body: string, code: number, id?: unknown][] = [
  ["RPC-05", "", -32700],
  ["RPC-05", "{", -32700],
  ["RPC-05", request().slice(0, -1), -32700],
  ["RPC-06", "7", -32600],
  ["RPC-06", '"GetTask"', -32600],
  ["RPC-06", "null", -32600],
  ["RPC-06", "true", -32600],
  ["RPC-06", "{}", -32600],
  ["RPC-06", request({ jsonrpc: "1.0" }), -32600, 1],
  ["RPC-06", request({ jsonrpc: 2 }), -32600, 1],
  ["RPC-01, RPC-06", request({ jsonrpc: undefined, id: "x" }), -32600, "x"],
  ["RPC-01, RPC-06", request({ method: undefined }), -32600, 1],
  ["RPC-06", request({ method: 7 }), -32600, 1],
  ["RPC-06", request({ method: null }), -32600, 1],
  ["RPC-10", "[]", -32600],
  ["RPC-10", `[${request()}]`, -32600],
  ["RPC-10", `[${request()},${request()}]`, -32600],
  ["RPC-12", request({ id: {} }), -32600],
  ["RPC-12", request({ id: [1] }), -32600],
  ["RPC-12", request({ id: true }), -32600],
  ["RPC-12", request({ id: 1.5 }), -32600],
  ["RPC-12", request().replace('"id":1', '"id":1e999'), -32600],
  ["RPC-12", request({ id: "x".repeat(257) }), -32600],
  ["RPC-12", request({ id: "é".repeat(129) }), -32600],
  ["RPC-12", request({ jsonrpc: "1.0", id: "x".repeat(257) }), -32600],
  ["RPC-12", request().replace('"id":1', `"id":${"9".repeat(400)}`), -32600],
  ["RPC-06", request({ jsonrpc: "1.0", id: "x".repeat(256) }), -32600, "x".repeat(256)],
  ["RPC-07", request({ method: "DanceTask" }), -32601, 1],
  ["RPC-02, RPC-07", request({ method: "getTask" }), -32601, 1],
  ["RPC-07", request({ method: "" }), -32601, 1],
  ["RPC-07", request({ method: "constructor" }), -32601, 1],
  ["RPC-14, RPC-08", request({ params: ["t"] }), -32602, 1],
  ["RPC-08", request({ params: "t" }), -32602, 1],
  ["RPC-08", request({ params: 7 }), -32602, 1],
  ["RPC-08", request({ params: {} }), -32602, 1],
  ["RPC-15, RPC-08", request({ params: undefined }), -32602, 1],
  ["RPC-15, RPC-08", request({ params: null }), -32602, 1],
  ["RPC-08", request({ params: { id: 7 } }), -32602, 1],
];

const shown = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

for (const [ids, body, code, id = null] of envelopes) {
  test(`RPC-16, ${ids}: ${shown(body) || "an empty body"} is ${code} with id ${shown(JSON.stringify(id))}`, async () => {
    const { status, headers, json } = await post(body);
    assert.equal(status, 200);
    assert.equal(headers["Content-Type"], "application/json");
    assert.equal(json.jsonrpc, "2.0");
    assert.equal(json.id, id);
    assert.equal(json.error.code, code);
    assert.equal("result" in json, false);
  });
}

for (const id of [0, 1, -7, 2 ** 53 - 1, "1", "", "ü\u2028", null]) {
  test(`RPC-04: the id ${JSON.stringify(id)} comes back with value and type`, async () => {
    const { json } = await post(request({ id }));
    assert.deepEqual(json, { jsonrpc: "2.0", id, result: task });
  });
}

test("RPC-11: a request without id is answered with id null", async () => {
  assert.deepEqual((await post(request({ id: undefined }))).json, { jsonrpc: "2.0", id: null, result: task });
});

test("RPC-12: 1.0 is a whole number", async () => {
  assert.equal((await post(request().replace('"id":1', '"id":1.0'))).json.id, 1);
});

test("RPC-13: an id beyond the exact numbers is treated as a number", async () => {
  const { json } = await post(request().replace('"id":1', '"id":9007199254740993'));
  assert.equal(json.id, 9007199254740992);
  assert.deepEqual(json.result, task);
});

test("RPC-04, SEC-08: an id of 256 bytes is repeated, and a number in its shortest form", async () => {
  for (const id of ["x".repeat(256), "é".repeat(128), "🚀".repeat(64)]) {
    assert.equal((await post(request({ id }))).json.id, id);
  }
  const long = request().replace('"id":1', `"id":1${"0".repeat(300)}.${"0".repeat(10_000)}`);
  assert.equal((await post(long)).json.id, 1e300);
});

test("RPC-15, OP-XCARD-05, OP-LIST-01: ListTasks and GetExtendedAgentCard need no params", async () => {
  for (const method of ["ListTasks", "GetExtendedAgentCard"]) {
    for (const params of [undefined, null, {}]) {
      assert.equal((await post(request({ method, params }))).json.error, undefined);
    }
  }
});

test("RPC-19, OP-GET-02: the result is the object itself", async () => {
  assert.deepEqual((await post(request())).json.result, task);
});

test("OP-PUSH-21: the result of a delete is null", async () => {
  const { json } = await post(
    request({ method: "DeleteTaskPushNotificationConfig", params: { taskId: "t", id: "p" } }),
  );
  assert.deepEqual(json, { jsonrpc: "2.0", id: 1, result: null });
});

for (const type of [
  undefined,
  "",
  "application/json",
  "application/json; charset=utf-8",
  "Application/JSON;x=y",
  "application/a2a+json",
]) {
  test(`RPC-03, RPC-17: the media type ${type} is taken`, async () => {
    const { status, headers, json } = await post(request(), { headers: { "content-type": type } });
    assert.equal(status, 200);
    assert.equal(headers["Content-Type"], "application/json");
    assert.deepEqual(json.result, task);
  });
}

for (const type of [
  "text/plain",
  "application/xml",
  "application/x-www-form-urlencoded",
  "application/jsonp",
  "json",
]) {
  test(`RPC-17: the media type ${type} is refused with 400 and -32005`, async () => {
    const { status, json } = await post("not looked at", { headers: { "content-type": type } });
    assert.equal(status, 400);
    assert.equal(json.id, null);
    assert.equal(json.error.code, -32005);
    assert.equal(json.error.data[0].reason, "CONTENT_TYPE_NOT_SUPPORTED");
  });
}

for (const method of ["GET", "PUT", "DELETE", "PATCH", "HEAD"]) {
  test(`RPC-18: ${method} is answered with 405 and Allow`, async () => {
    const { status, headers, json } = await post(request(), { method });
    assert.equal(status, 405);
    assert.equal(headers.Allow, "POST");
    assert.equal(json.error.code, -32601);
    assert.equal(json.id, null);
  });
}

test("RPCS-06: a call is not refused because of Accept", async () => {
  assert.equal((await post(request(), { headers: { accept: "text/html" } })).status, 200);
});

test("VER-13: a method of an older version is not found, and the message names the one of today", async () => {
  for (const [method, now] of [
    ["message/send", "SendMessage"],
    ["tasks/resubscribe", "SubscribeToTask"],
    ["agent/getAuthenticatedExtendedCard", "GetExtendedAgentCard"],
  ] as const) {
    const { json } = await post(request({ method }));
    assert.equal(json.error.code, -32601);
    assert.equal(json.error.message, `Method not found: version 1.0 calls it ${now}`);
  }
  assert.equal((await post(request({ method: "tasks/dance" }))).json.error.message, "Method not found");
});

test("VER-07, VER-09: an older client's call without a version is told what is supported", async () => {
  const { json } = await post(request({ method: "message/send" }), { headers: { "a2a-version": undefined } });
  assert.equal(json.error.code, -32009);
  assert.equal(json.error.message, "Protocol version 0.3 is not supported here; supported: 1.0");
});

test("ERR-01, ERR-03, ERR-04, ERR-10, ERR-11, ERR-14: an error has code, message and typed details", async () => {
  const { json } = await post(request({ params: {} }));
  assert.deepEqual(json.error, {
    code: -32602,
    message: "Invalid parameters: id is required",
    data: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "INVALID_PARAMS",
        domain: "a2a-protocol.org",
      },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "id", description: "is required" }],
      },
    ],
  });
  const positional = await post(request({ params: ["t"] }));
  assert.deepEqual(positional.json.error.data[1].fieldViolations, [
    { field: "params", description: "must be an object" },
  ]);
});

test("RPCS-01, RPCS-04: every frame is a response with the request's id, the last one an error", async () => {
  const body = request({ id: "s-1", method: "SubscribeToTask" });
  const frames = await framesOf(await answerJsonRpc(httpRequest({ body }), agent()));
  const [first, last] = frames.map(parseFrame);
  assert.deepEqual(first, { data: { jsonrpc: "2.0", id: "s-1", result: { task } } });
  assert.equal(last?.event, "error");
  assert.equal(last?.data.id, "s-1");
  assert.equal(last?.data.error.code, -32603);
  assert.equal(last?.data.error.message, "Going down");
  assert.equal(frames.length, 2);
});

const refusals: [ids: string, code: ErrorCode, status: number, jsonRpcCode: number][] = [
  ["ERR-17, ERR-18", "UNAUTHENTICATED", 401, -32000],
  ["ERR-18", "PERMISSION_DENIED", 403, -32000],
  ["ERR-22", "REQUEST_TOO_LARGE", 413, -32600],
  ["ERR-21", "RATE_LIMITED", 429, -32000],
  ["ERR-20", "UNAVAILABLE", 503, -32603],
  ["RPC-16", "DEADLINE_EXCEEDED", 504, -32603],
];

for (const [ids, code, status, jsonRpcCode] of refusals) {
  test(`${ids}: a refusal below the call with ${code} has status ${status} and code ${jsonRpcCode}`, () => {
    const error = new A2AError(code, undefined, { retryAfter: 30 });
    const reply = refuse(error, { host: httpRequest({}), binding: bindings.JSONRPC, agent: agent() });
    assert.equal(reply.status, status);
    assert.deepEqual(reply.headers, { "Content-Type": "application/json", "Retry-After": "30" });
    const json = JSON.parse(String(reply.body));
    assert.equal(json.id, null);
    assert.equal(json.error.code, jsonRpcCode);
    assert.equal(json.error.message, errors[code].message);
  });
}

test("RPC-09: any body is answered with a JSON-RPC response", async () => {
  const any = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((params) => request({ params })),
    fc.jsonValue().map((id) => request({ id })),
  );
  await fc.assert(
    fc.asyncProperty(any, async (body) => {
      const { status, json } = await post(body);
      assert.equal(status, 200);
      assert.equal(json.jsonrpc, "2.0");
      assert.ok(
        ["result,", "error,"].includes(
          `${Object.keys(json).filter((name) => name === "result" || name === "error")},`,
        ),
      );
      assert.notEqual(json.error?.code, -32603);
    }),
  );
});
