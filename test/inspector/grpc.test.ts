import assert from "node:assert/strict";
import { test } from "vitest";
import type { CallFor } from "../../src/inspector/connection.js";
import type { InspectorEvent } from "../../src/inspector/events.js";
import { serve } from "../../src/server/index.js";
import { agent } from "../cli/agent.js";
import { inspectFor, openFor } from "./local.js";

const SERVICE = "lf.a2a.v1.A2AService";

/** An agent with gRPC, and a function that calls a method of it as the page does. */
async function grpcFor(t: Parameters<typeof inspectFor>[0]) {
  const server = await serve(agent(), { bindings: ["JSONRPC", "GRPC"] });
  t.onTestFinished(() => server.close(0));
  const { url, grpcAddress = "" } = server;
  const inspected = await inspectFor(t, { agent: url });
  const { connection, next } = await openFor(t, inspected);
  const purpose: CallFor = { agent: url, over: "GRPC" };
  const call = (method: string, message: object, headers: Record<string, string> = {}) =>
    connection.fetchFor(purpose)(`http://${grpcAddress}/${SERVICE}/${method}`, {
      ...{ method: "POST", body: JSON.stringify(message) },
      headers: { "a2a-version": "1.0", ...headers },
    });
  return { url, call, next, connection, grpcAddress };
}

const message = (text: string) => ({ message: { messageId: "m1", role: "ROLE_USER", parts: [{ text }] } });

test("a unary call over gRPC is answered as HTTP+JSON answers it, with its status and metadata", async (t) => {
  const { call, next } = await grpcFor(t);
  const response = await call("SendMessage", message("say hello"), { "x-team": "planning" });
  assert.equal(response.headers.get("content-type"), "application/json");
  const { message: answer } = (await response.json()) as { message: { parts: object[] } };
  assert.deepEqual(answer.parts, [{ text: "hello" }]);
  const sent = await next("sent");
  const metadata = new Headers(sent.headers as [string, string][]);
  assert.deepEqual([metadata.get("x-team"), metadata.get("te")], ["planning", "trailers"]);
  assert.equal((await next("answered")).httpVersion, "2");
  const status = await next("status");
  assert.deepEqual([status.code, status.name, status.message, status.details], [0, "OK", "", []]);
  const ended = await next("ended");
  assert.ok(ended.time >= status.time);
});

test("a stream over gRPC arrives as an event stream, then its trailing metadata", async (t) => {
  const { call, next } = await grpcFor(t);
  const response = await call("SendStreamingMessage", message("count one two"));
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const text = await response.text();
  assert.match(text, /^id: 1\ndata: \{"task"/);
  assert.match(text, /TASK_STATE_COMPLETED/);
  assert.deepEqual([(await next("status")).name, (await next("status")).metadata.length > 0], ["OK", true]);
});

test("a status with details is decoded", async (t) => {
  const { call, next } = await grpcFor(t);
  const response = await call("GetTask", { id: "nowhere" });
  assert.equal(response.status, 404);
  const status = await next("status");
  assert.deepEqual([status.code, status.name], [5, "NOT_FOUND"]);
  const [detail] = status.details as { "@type": string; reason: string }[];
  assert.deepEqual(
    [detail?.["@type"], detail?.reason],
    ["type.googleapis.com/google.rpc.ErrorInfo", "TASK_NOT_FOUND"],
  );
});

test("a connection of gRPC goes to no private address for another agent", async (t) => {
  const { connection, grpcAddress, next } = await grpcFor(t);
  const { port } = new URL(`http://${grpcAddress}`);
  for (const host of [grpcAddress, `localhost:${port}`, "10.0.0.1:443"]) {
    const call = connection.fetchFor({ agent: "https://agent.example", over: "GRPC" });
    await assert.rejects(call(`http://${host}/${SERVICE}/GetTask`, { method: "POST", body: "{}" }), host);
  }
  const codes = [await next("failed"), await next("failed", 1), await next("failed", 2)].map(
    ({ code }) => code,
  );
  assert.deepEqual(codes, ["REFUSED_URL", "REFUSED_URL", "REFUSED_URL"]);
});

test("what is no service of A2A, and a server that is not there, fail", async (t) => {
  const { call, connection, url, next } = await grpcFor(t);
  await assert.rejects(call("NoMethod", {}));
  const send = connection.fetchFor({ agent: url, over: "GRPC" });
  await assert.rejects(send(`http://127.0.0.1:1/${SERVICE}/GetTask`, { method: "POST", body: '{"id":"x"}' }));
  assert.match((await next("failed", 1)).message, /ECONNREFUSED/);
  await assert.rejects(send(`http://127.0.0.1:1/other.Service/GetTask`, { method: "POST", body: "{}" }));
  assert.match((await next("failed", 2)).message, /no gRPC service other.Service/);
});

test("a stream over gRPC ends when the page has no interest in it any more", async (t) => {
  const { call, next } = await grpcFor(t);
  const response = await call("SendStreamingMessage", message("wait"));
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const failed = (await next("failed")) as Extract<InspectorEvent, { type: "failed" }>;
  assert.equal(failed.code, "ABORTED");
});
