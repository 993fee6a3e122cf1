import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import { type TestContext, test } from "vitest";
import { completed, working } from "../../src/index.js";
import {
  type PushNotification,
  type PushReceiverOptions,
  pushMiddleware,
  pushReceiver,
} from "../../src/push/index.js";
import type { PushKey } from "../../src/server/index.js";
import { serveExecutor, text } from "../support/peer.js";
import { NotingLogger, near } from "./desk.js";

const issuer = "https://agent.example";
const key = (kid: string): PushKey => ({
  key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  kid,
  alg: "ES256",
});

const execute = async function* () {
  yield working();
  yield completed();
};

/** A Koa app with a webhook at /hook. */
async function koaWebhook(t: TestContext, options: (port: number) => Partial<PushReceiverOptions>) {
  const taken: PushNotification[] = [];
  let seen: (() => void) | undefined;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  const logger = new NotingLogger();
  const receiver = pushReceiver({
    expect: () => ({}),
    onNotification: (notification) => {
      taken.push(notification);
      seen?.();
    },
    logger,
    ...options(port),
  });
  server.on("request", new Koa().use(pushMiddleware(receiver)).callback());
  const until = async (count: number) => {
    while (taken.length < count) await new Promise<void>((resolve) => (seen = resolve));
  };
  return { url: `http://127.0.0.1:${port}/hook`, taken, until, logger };
}

test("PUSH-17, HOOK-02: a receiver in Koa verifies our signatures with the keys that the agent serves", async (t) => {
  const server = await serveExecutor(t, execute, {
    push: { ...near, signing: { issuer, keys: [key("one")] } },
  });
  const webhook = await koaWebhook(t, (port) => ({
    signature: {
      issuer,
      audience: `http://127.0.0.1:${port}/hook`,
      keys: `${server.url}/.well-known/jwks.json`,
    },
  }));
  const configuration = { taskPushNotificationConfig: { url: webhook.url } };
  const { result } = await server.rpc.call("SendMessage", text("go", { configuration }));
  await webhook.until(2);
  assert.deepEqual(
    webhook.taken.map(({ taskId, generation, claims }) => ({ taskId, generation, issuer: claims?.iss })),
    [1, 2].map((generation) => ({ taskId: result.task.id, generation, issuer })),
  );
  assert.equal(webhook.taken[1]?.event.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(webhook.logger.lines, []);
});

test("PUSH-17: the key set is served with a life time, public parts only, and follows the keys", async (t) => {
  let keys = [key("one")];
  const { url } = await serveExecutor(t, execute, {
    push: { ...near, signing: { issuer, keys: () => keys } },
  });
  const read = async () => {
    const response = await fetch(`${url}/.well-known/jwks.json`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.match(response.headers.get("cache-control") ?? "", /max-age=300/);
    return ((await response.json()) as { keys: Record<string, string>[] }).keys;
  };
  const [published] = await read();
  assert.deepEqual(Object.keys(published ?? {}).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
  keys = [key("two"), ...keys];
  assert.deepEqual(
    (await read()).map(({ kid }) => kid),
    ["two", "one"],
  );
});

test("without signing there is no key set", async (t) => {
  const { url } = await serveExecutor(t, execute, { push: near });
  const response = await fetch(`${url}/.well-known/jwks.json`);
  assert.equal(response.status, 404);
});

test("the middleware answers what it refuses, and cuts off what is too large", async (t) => {
  const webhook = await koaWebhook(t, () => ({ expect: () => ({ token: "secret" }), maxBytes: 1000 }));
  const event = { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } };
  const send = async (headers: Record<string, string>, body = JSON.stringify(event), method = "POST") => {
    const all = { "Content-Type": "application/a2a+json", ...headers };
    return fetch(webhook.url, { method, headers: all, ...(method === "POST" && { body }) });
  };
  assert.equal((await send({ "A2A-Notification-Token": "wrong" })).status, 401);
  assert.equal((await send({ "A2A-Notification-Token": "secret" })).status, 204);
  const wrongVerb = await send({}, "", "GET");
  assert.equal(wrongVerb.status, 405);
  assert.equal(wrongVerb.headers.get("allow"), "POST");
  const large = await send({ "A2A-Notification-Token": "secret" }, "x".repeat(200_000)).catch(
    () => undefined,
  );
  assert.ok(large === undefined || large.status === 413);
  assert.equal(webhook.taken.length, 1);
});
