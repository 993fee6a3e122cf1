import assert from "node:assert/strict";
import { afterAll, type TestContext, test } from "vitest";
import { completed, type Executor, working } from "../../src/index.js";
import type { AuditEvent } from "../../src/server/index.js";
import { serveExecutor, text } from "../support/peer.js";
import { near } from "./desk.js";
import { failing, MisbehavingReceiver, type Misbehaviour, succeeding } from "./misbehaviours.js";
import { Webhook } from "./webhook.js";

/** The timers of deliveries keep no process alive. */
const alive = setInterval(() => undefined, 1000);
afterAll(() => clearInterval(alive));

const TIMEOUT_SECONDS = 0.5;
const GRACE_SECONDS = 1;
/** Within which a second after the grace has passed on a machine under load, in milliseconds. */
const CLOSED_MS = 10_000;

const execute: Executor = async function* () {
  yield working();
  yield completed();
};

const inline = (url: string) => ({ configuration: { taskPushNotificationConfig: { url } } });

async function openReceivers(t: TestContext, misbehaviours: readonly Misbehaviour[]) {
  const receivers = await Promise.all(misbehaviours.map((one) => MisbehavingReceiver.listen(one)));
  t.onTestFinished(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });
  return receivers;
}

/** Serves an agent, and tells when a number of attempts has come to an end. */
async function serveCounted(t: TestContext, push: object) {
  const attempts: AuditEvent[] = [];
  let told: () => void = () => undefined;
  const audit = (event: AuditEvent) => {
    if (event.kind !== "delivery") return;
    attempts.push(event);
    told();
  };
  const server = await serveExecutor(t, execute, { push: { ...near, ...push }, audit });
  const ended = async (count: number) => {
    while (attempts.length < count) {
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    }
  };
  return { server, attempts, ended };
}

test("PUSH-10, PUSH-13: whatever receivers do, each attempt ends, others are served, and the server closes in its grace", async (t) => {
  const all = { ...failing, ...succeeding };
  const receivers = await openReceivers(t, Object.values(all));
  const { server, attempts, ended } = await serveCounted(t, {
    timeout: TIMEOUT_SECONDS,
    firstDelay: 60,
    maxDelay: 60,
  });
  for (const receiver of receivers) {
    await server.rpc.call("SendMessage", text("go", inline(receiver.url())));
    await server.rpc.call("SendMessage", text("go", inline(receiver.url("https"))));
  }
  await ended(receivers.length * 2);
  const honest = await Webhook.open(t);
  await server.rpc.call("SendMessage", text("go", inline(honest.url())));
  await honest.count(2);
  assert.ok(attempts.length >= receivers.length * 2);
  const begun = performance.now();
  await server.close(GRACE_SECONDS);
  assert.ok(performance.now() - begun < CLOSED_MS);
});

test("PUSH-13: webhooks that answer 101, as many as there are places on each of four ports, stop no other webhook", async (t) => {
  const upgrade = failing["answers 101"];
  assert.ok(upgrade);
  const receivers = await openReceivers(t, [upgrade, upgrade, upgrade, upgrade]);
  // A time limit that this test does not reach.
  const { server, ended } = await serveCounted(t, { timeout: 600, attempts: 1000 });
  for (const receiver of receivers) {
    for (let task = 0; task < 16; task += 1) {
      await server.rpc.call("SendMessage", text("go", inline(receiver.url())));
    }
  }
  await ended(64);
  const honest = await Webhook.open(t);
  await server.rpc.call("SendMessage", text("go", inline(honest.url())));
  await honest.count(2);
  await server.close(GRACE_SECONDS);
});

test("PUSH-13: a server closes in its grace while a webhook reads and never answers, and the time limit is far away", async (t) => {
  const silent = failing["reads and never answers"];
  assert.ok(silent);
  const [receiver] = await openReceivers(t, [silent]);
  assert.ok(receiver);
  const { server } = await serveCounted(t, { timeout: 600, drain: 600 });
  await server.rpc.call("SendMessage", text("go", inline(receiver.url())));
  while (receiver.open === 0) await new Promise((resolve) => setImmediate(resolve));
  const begun = performance.now();
  await server.close(GRACE_SECONDS);
  assert.ok(performance.now() - begun < CLOSED_MS);
});
