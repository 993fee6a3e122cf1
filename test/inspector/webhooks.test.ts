import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import type { Delivery, WebhookReceiver, WebhookSettings } from "../../src/inspector/api.js";
import { serve } from "../../src/server/index.js";
import { agent } from "../cli/agent.js";
import { inspectFor, openFor, rawRequest } from "./local.js";

const status = (state: string) =>
  JSON.stringify({
    statusUpdate: { taskId: "t1", contextId: "c1", status: { state, timestamp: "2025-01-01T00:00:00.000Z" } },
  });
const working = status("TASK_STATE_WORKING");

/** A webhook, and a function that calls it. */
async function webhookFor(t: Parameters<typeof inspectFor>[0], settings: WebhookSettings) {
  const { connection, next } = await openFor(t, await inspectFor(t));
  const webhook = (await connection.request("POST", "webhooks", settings)) as WebhookReceiver;
  let calls = 0;
  const call = async (headers: Record<string, string> = {}, body = working, method = "POST") => {
    const sent = { "Content-Type": "application/json", ...headers };
    const answer = await rawRequest(webhook.url, { method, headers: sent, body });
    calls += 1;
    const { delivery } = await next("delivered", calls - 1);
    return { answer, delivery };
  };
  return { connection, webhook, call };
}

const seen = ({ token, authorization, signature, status }: Delivery) => [
  token,
  authorization,
  signature,
  status,
];

test("a webhook shows what was sent, and whether the secrets were right, each by itself", async (t) => {
  const { call } = await webhookFor(t, { token: "s3cret-token", authorization: "Bearer key" });
  const right = { "X-A2A-Notification-Token": "s3cret-token", Authorization: "bearer key" };
  const good = await call({ ...right, "A2A-Notification-Generation": "7" });
  assert.equal(good.answer.status, 204);
  assert.deepEqual(seen(good.delivery), ["valid", "valid", "unchecked", 204]);
  const { number, taskId, generation, body, bytes, method, headers, reason } = good.delivery;
  assert.deepEqual(
    [number, taskId, generation, body, bytes, method],
    [1, "t1", 7, working, working.length, "POST"],
  );
  assert.equal(new Headers(headers as [string, string][]).get("authorization"), "bearer key");
  assert.equal(reason, "Accepted");

  const { delivery: wrong } = await call({ ...right, "X-A2A-Notification-Token": "guess" });
  assert.deepEqual(seen(wrong), ["invalid", "valid", "unchecked", 401]);
  assert.equal(wrong.reason, "The token differs");
  const { delivery: bare } = await call();
  assert.deepEqual(seen(bare), ["missing", "missing", "unchecked", 401]);
  assert.equal(bare.reason, "The token is missing");
});

test("a webhook says what is no notification", async (t) => {
  const { call } = await webhookFor(t, {});
  const verdict = async (...args: Parameters<typeof call>) => (await call(...args)).delivery.status;
  assert.equal(await verdict(), 204);
  assert.equal(await verdict({}, "not JSON"), 400);
  assert.equal(await verdict({}, "{}"), 400);
  assert.equal(await verdict({ "Content-Type": "text/plain" }), 415);
  assert.equal(await verdict({}, working, "PUT"), 405);
});

test("a webhook fails as often as it was told to, and counts how often an event has come", async (t) => {
  const fail = { status: 500, times: 3, retryAfter: 7 };
  const { call, connection, webhook } = await webhookFor(t, { fail });
  const attempts: [number, number][] = [];
  for (let at = 0; at < 4; at += 1) {
    const { answer, delivery } = await call();
    attempts.push([delivery.attempt, delivery.status]);
    assert.equal(answer.headers["retry-after"], at < 3 ? "7" : undefined);
  }
  assert.deepEqual(attempts, [
    [1, 500],
    [2, 500],
    [3, 500],
    [4, 204],
  ]);
  assert.equal((await call({}, status("TASK_STATE_COMPLETED"))).delivery.attempt, 1, "another event");
  const [listed] = (await connection.request("GET", "webhooks")) as WebhookReceiver[];
  assert.deepEqual([listed?.fail?.times, listed?.calls], [0, 5]);
  const changed = await connection.request("PUT", `webhooks/${webhook.id}`, {
    fail: { status: 503, times: 1 },
  });
  assert.equal((changed as WebhookReceiver).url, webhook.url);
  assert.equal((await call()).answer.status, 503);
});

test("deliveries are kept within a bound, and go with their webhook", async (t) => {
  const { call, connection, webhook } = await webhookFor(t, {});
  const large = JSON.stringify({ ...JSON.parse(working), filler: "x".repeat(900_000) });
  for (let at = 0; at < 6; at += 1) await call({}, large);
  const { delivery } = await call({}, large.replace("xxx", "yyy".repeat(100_000)));
  assert.equal(delivery.body.length, 1024 * 1024);
  assert.ok(delivery.bytes > delivery.body.length);
  const path = `webhooks/${webhook.id}`;
  const kept = (await connection.request("GET", `${path}/deliveries`)) as Delivery[];
  assert.deepEqual(kept.map(({ number }) => number).at(-1), 7);
  assert.ok(kept.length < 7 && kept.length > 1, `${kept.length} are kept`);
  await connection.request("DELETE", path);
  assert.equal((await rawRequest(webhook.url, { method: "POST", body: working })).status, 404);
  await assert.rejects(connection.request("GET", `${path}/deliveries`), /no such webhook/);
});

test("there are twenty webhooks at most, and a notification of ten MiB", async (t) => {
  const { connection, webhook } = await webhookFor(t, {});
  for (let at = 1; at < 20; at += 1) await connection.request("POST", "webhooks", {});
  await assert.rejects(connection.request("POST", "webhooks", {}), /20 webhooks/);
  // Only as much is written as the server reads: it closes the connection after its answer.
  for (const [headers, sent] of [
    [{ "Content-Length": "11534336" }, "{"],
    [{ "Transfer-Encoding": "chunked" }, " ".repeat(10 * 1024 * 1024 + 1)],
  ] as const) {
    const request = httpRequest(webhook.url, { method: "POST", headers });
    request.on("error", () => undefined);
    request.write(sent);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 413, sent.length.toString());
    request.destroy();
  }
});

test("a notification for an unknown webhook is refused before its body is there", async (t) => {
  const { webhook } = await webhookFor(t, {});
  const request = httpRequest(webhook.url.replace(/[^/]+$/, "unknown"), {
    method: "POST",
    headers: { "Content-Length": "1000000" },
  });
  request.on("error", () => undefined);
  request.write("{");
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 404);
  request.destroy();
});

test("an agent signs, is told to try again, and delivers what the webhook verifies", async (t) => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = await serve(agent(), {
    push: {
      ...{ allowHttp: true, allowPrivateNetworks: true, firstDelay: 0.01, maxDelay: 0.02 },
      signing: { issuer: "https://agent.example", keys: [{ key: privateKey, kid: "k1", alg: "ES256" }] },
    },
  });
  t.onTestFinished(() => server.close(0));
  const inspected = await inspectFor(t, { agent: server.url });
  const { connection, next } = await openFor(t, inspected);
  const settings: WebhookSettings = {
    token: "token-of-this-task",
    signature: { keys: `${server.url}/.well-known/jwks.json`, issuer: "https://agent.example" },
    fail: { status: 500, times: 1 },
  };
  const webhook = (await connection.request("POST", "webhooks", settings)) as WebhookReceiver;
  const client = await connect(server.url, { fetch: connection.fetchFor({ agent: server.url }) });
  await client.sendText("count one", {
    configuration: {
      taskPushNotificationConfig: { url: webhook.url, token: "token-of-this-task", taskId: "" },
    },
  });
  const [{ delivery: first }, { delivery: second }] = [await next("delivered"), await next("delivered", 1)];
  assert.deepEqual(seen(first), ["valid", "unchecked", "valid", 500], first.reason);
  assert.deepEqual(seen(second), ["valid", "unchecked", "valid", 204], second.reason);
  assert.deepEqual([first.attempt, second.attempt], [1, 2]);
  assert.equal(second.claims?.iss, "https://agent.example");
  assert.equal(second.claims?.aud, webhook.url);
});
