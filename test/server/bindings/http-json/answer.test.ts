import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { A2AError } from "../../../../src/protocol/errors.js";
import { bindings } from "../../../../src/server/bindings/bindings.js";
import { refuse } from "../../../../src/server/pipeline.js";
import { answerHttpJson, bodyOf, framesOf, httpRequest, type Json, parseFrame } from "../exchange.js";
import { agent, body, config, message, send, task } from "./send.js";

test("RESTB-06, RESTB-07, RPC-19: a send answers with the wrapper, a read with the bare object, all with 200", async () => {
  const sent = await send("POST", "/message:send", body({ message }));
  assert.deepEqual([sent.status, sent.json], [200, { task }]);
  const read = await send("GET", "/tasks/t");
  assert.deepEqual([read.status, read.json], [200, task]);
  const created = await send("POST", "/tasks/t/pushNotificationConfigs", body({ url: "https://x.example" }));
  assert.deepEqual([created.status, created.json], [200, config]);
});

test("OP-PUSH-21, RESTB-07: a delete answers with 200 and an empty object", async () => {
  const { status, json } = await send("DELETE", "/tasks/t/pushNotificationConfigs/p");
  assert.deepEqual([status, json], [200, {}]);
});

test("ERR-06, ERR-07, REST-09: an unknown route is 404 in the error form", async () => {
  const { status, json, headers } = await send("GET", "/nowhere");
  assert.equal(status, 404);
  assert.equal(headers["Content-Type"], "application/a2a+json");
  assert.deepEqual(json, {
    error: {
      code: 404,
      status: "NOT_FOUND",
      message: "There is no such route",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "METHOD_NOT_FOUND",
          domain: "a2a-protocol.org",
        },
      ],
    },
  });
});

const verbs: [method: string, path: string, allow: string][] = [
  ["GET", "/message:send", "POST"],
  ["POST", "/tasks", "GET"],
  ["DELETE", "/tasks/t", "GET"],
  ["GET", "/tasks/t:cancel", "POST"],
  ["PUT", "/tasks/t:subscribe", "POST, GET"],
  ["PATCH", "/acme/tasks/t/pushNotificationConfigs/p", "GET, DELETE"],
  ["POST", "/extendedAgentCard", "GET"],
];

for (const [method, path, allow] of verbs) {
  test(`REST-09, ERR-06: ${method} ${path} is 405 with Allow in the error form`, async () => {
    const { status, headers, json } = await send(method, path);
    assert.equal(status, 405);
    assert.equal(headers.Allow, allow);
    assert.equal(json.error.code, 405);
    assert.equal(json.error.status, "UNIMPLEMENTED");
    assert.equal(json.error.details[0].reason, "METHOD_NOT_FOUND");
  });
}

test("REST-03: a task is subscribed to by GET and by POST, with and without a body", async () => {
  for (const request of [
    { method: "GET" },
    { method: "POST" },
    { method: "POST", body: "" },
    { method: "POST", body: "{}" },
  ]) {
    const served = agent();
    const reply = await answerHttpJson(httpRequest({ path: "/tasks/t:subscribe", ...request }), served);
    assert.equal(reply.headers["Content-Type"], "text/event-stream");
    await framesOf(reply);
    assert.deepEqual(served.seen[0]?.request, { id: "t" });
  }
});

test("REST-05: a cancel works with an empty body, with an empty object and with metadata", async () => {
  for (const [sent, seen] of [
    [undefined, {}],
    ["", {}],
    ["{}", {}],
    ['{"metadata":{"a":1}}', { metadata: { a: 1 } }],
  ] as const) {
    const { agent } = await send("POST", "/tasks/t:cancel", { body: sent });
    assert.deepEqual(agent.seen[0]?.request, { ...seen, id: "t" });
  }
});

const bodies: [sent: string, reason: string][] = [
  ["{", "PARSE_ERROR"],
  ["not json", "PARSE_ERROR"],
  ["[]", "INVALID_REQUEST"],
  ["7", "INVALID_REQUEST"],
  ["null", "INVALID_REQUEST"],
  ["{}", "INVALID_PARAMS"],
  ["", "INVALID_PARAMS"],
];

for (const [sent, reason] of bodies) {
  test(`REST-05, ERR-14: the body ${JSON.stringify(sent)} is refused with ${reason}`, async () => {
    const { status, json, agent } = await send("POST", "/message:send", { body: sent });
    assert.equal(status, 400);
    assert.equal(json.error.status, "INVALID_ARGUMENT");
    assert.equal(json.error.details[0].reason, reason);
    assert.deepEqual(agent.seen, []);
  });
}

test("REST-06: values of the path are decoded", async () => {
  const { agent } = await send(
    "DELETE",
    "/t%C3%A9nant%2F1/tasks/a%2Fb%3Ac%20d/pushNotificationConfigs/%E2%9C%93%25",
  );
  assert.deepEqual(agent.seen[0]?.request, { tenant: "ténant/1", taskId: "a/b:c d", id: "✓%" });
});

test("REST-06: a path that is no percent-encoded text is refused, naming the member", async () => {
  for (const path of ["/tasks/%", "/tasks/%zz", "/tasks/%ff", "/tasks/%ed%a0%80"]) {
    const { status, json } = await send("GET", path);
    assert.equal(status, 400);
    assert.equal(json.error.details[1].fieldViolations[0].field, "id");
  }
});

test("REST-08, OP-PUSH-06: a value of the path wins over the body, in either spelling", async () => {
  const { agent } = await send(
    "POST",
    "/tasks/path/pushNotificationConfigs",
    body({ taskId: "body", task_id: "snake", url: "https://x" }),
  );
  assert.deepEqual(agent.seen[0]?.request, { taskId: "path", url: "https://x" });
  const cancel = await send("POST", "/tasks/path:cancel", body({ id: "body" }));
  assert.deepEqual(cancel.agent.seen[0]?.request, { id: "path" });
});

test("RESTQ-01: GET and DELETE take nothing from a body, and the path wins over the query", async () => {
  const { agent } = await send("GET", "/tasks/t?historyLength=2&id=other", { body: "{ not json" });
  assert.deepEqual(agent.seen[0]?.request, { id: "t", historyLength: 2 });
});

test("RESTQ-10, JSON-04: unknown query parameters are ignored", async () => {
  const { agent } = await send("GET", "/tasks/t?utm_source=x&historyLength=2&__proto__=y");
  assert.deepEqual(agent.seen[0]?.request, { id: "t", historyLength: 2 });
});

const queries: [query: string, field: string][] = [
  ["includeArtifacts=yes", "includeArtifacts"],
  ["pageSize=ten", "pageSize"],
  ["page_size=ten", "pageSize"],
  ["status=99", "status"],
  ["status=working", "status"],
  ["statusTimestampAfter=yesterday", "statusTimestampAfter"],
  ["historyLength=1.5", "historyLength"],
];

for (const [query, field] of queries) {
  test(`RESTQ-05, RESTQ-11: the query ${query} is refused naming ${field}`, async () => {
    const { status, json } = await send("GET", `/tasks?${query}`);
    assert.equal(status, 400);
    assert.deepEqual(
      json.error.details[1].fieldViolations.map((violation: Json) => violation.field),
      [field],
    );
  });
}

const tenants: [name: string, path: string, sent: object, tenant: string, warned: number][] = [
  ["the path first", "/path/message:send?tenant=query", { tenant: "body" }, "path", 1],
  ["then the body", "/message:send?tenant=query", { tenant: "body" }, "body", 0],
  ["then the query", "/message:send?tenant=query", {}, "query", 0],
  ["an empty one is none", "/message:send?tenant=query", { tenant: "" }, "query", 0],
  ["none at all", "/message:send?tenant=", {}, "", 0],
  ["the same twice is no difference", "/same/message:send", { tenant: "same" }, "same", 0],
];

for (const [name, path, sent, tenant, warned] of tenants) {
  test(`TEN-04, TEN-07, TEN-10: the tenant comes from path, body or query: ${name}`, async () => {
    const { agent } = await send("POST", path, body({ message, ...sent }));
    assert.equal(agent.seen[0]?.call.tenant, tenant);
    assert.equal(agent.warnings.length, warned);
  });
}

test("TEN-04: a GET takes its tenant from the query", async () => {
  const { agent } = await send("GET", "/tasks?tenant=acme");
  assert.equal(agent.seen[0]?.call.tenant, "acme");
});

test("ERR-17, ERR-20, ERR-21: what is refused before the binding has the error form and status of the binding", () => {
  for (const [code, status, name] of [
    ["UNAUTHENTICATED", 401, "UNAUTHENTICATED"],
    ["REQUEST_TOO_LARGE", 413, "RESOURCE_EXHAUSTED"],
    ["RATE_LIMITED", 429, "RESOURCE_EXHAUSTED"],
    ["UNAVAILABLE", 503, "UNAVAILABLE"],
  ] as const) {
    const refusal = new A2AError(code, undefined, { retryAfter: 7 });
    const reply = refuse(refusal, { host: httpRequest({}), binding: bindings["HTTP+JSON"], agent: agent() });
    assert.equal(reply.status, status);
    assert.equal(reply.headers["Retry-After"], "7");
    const { error } = JSON.parse(String(reply.body));
    assert.deepEqual([error.code, error.status, error.details[0].reason], [status, name, code]);
  }
});

test("RESTS-01, RESTS-03: frames are events as they are, the last one an error body", async () => {
  const frames = await framesOf(
    await answerHttpJson(httpRequest({ method: "GET", path: "/tasks/t:subscribe" }), agent()),
  );
  const [first, last] = frames.map(parseFrame);
  assert.deepEqual(first, { data: { task } });
  assert.equal(last?.event, "error");
  assert.equal(last?.data.error.code, 503);
  assert.equal(last?.data.error.status, "UNAVAILABLE");
  assert.equal(frames.length, 2);
});

test("VER-13: an older version's path is a tenant of today", async () => {
  const { agent } = await send("GET", "/v1/tasks/t");
  assert.equal(agent.seen[0]?.call.tenant, "v1");
});

/** Any characters that an address may hold, and any bytes; fast-check's own addresses take seconds to make. */
const addressText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(..."abcxyzABCXYZ0189-._~!$'()*+,;:@/="),
    fc.nat(0xff).map((byte) => `%${byte.toString(16).padStart(2, "0")}`),
  ),
});

test("ERR-06: any path, query and body is answered in the form of the binding", async () => {
  const path = fc.oneof(
    addressText.map((text) => `/${text}`),
    fc.constantFrom("/message:send", "/tasks", "/tasks/t:cancel"),
    fc.string().map((text) => `/tasks/${text.replaceAll("?", "")}`),
  );
  const method = fc.constantFrom("GET", "POST", "DELETE");
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      fc.array(addressText).map((texts) => texts.join("&")),
      fc.oneof(fc.json(), fc.string()),
      async (verb, at, query, sent) => {
        const reply = await answerHttpJson(
          httpRequest({ method: verb, path: `${at}?${query}`, body: sent }),
          agent(),
        );
        if ("frames" in reply) return;
        const json = JSON.parse(await bodyOf(reply));
        if (reply.status === 200) return;
        assert.equal(json.error.code, reply.status);
        assert.notEqual(reply.status, 500);
      },
    ),
  );
});
