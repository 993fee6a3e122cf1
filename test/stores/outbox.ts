import assert from "node:assert/strict";
import type { TestContext } from "vitest";
import { once, Webhook } from "../push/webhook.js";
import { rpcPeer, text } from "../support/peer.js";
import { startProbe } from "../support/probe.js";

/**
 * An agent is killed while a webhook is behind and a task is at work; another one on the same database takes over. Fails unless
 * the webhook gets everything in order.
 * @param expire makes all leases on push configs run out
 */
export async function testDeliveriesAfterCrash(t: TestContext, store: string, expire: () => Promise<void>) {
  const webhook = await Webhook.open(t, () => (webhook.arrivals.length > 3 ? 503 : 204));
  const env = { STORE: store, ALLOW_PRIVATE_WEBHOOKS: "on" };
  const first = await startProbe(t, env);
  const configuration = { taskPushNotificationConfig: { url: webhook.url() }, returnImmediately: true };
  const { result } = await rpcPeer(first.url).call("SendMessage", { ...text("stream 20"), configuration });
  const { id } = result.task;
  await webhook.count(5);
  const done = async () => (await rpcPeer(first.url).call("GetTask", { id })).result.status.state;
  while ((await done()) !== "TASK_STATE_COMPLETED");
  first.child.kill("SIGKILL");
  await first.exited;
  await expire();
  webhook.answer = () => 204;
  const second = await startProbe(t, env);
  const { result: task } = await rpcPeer(second.url).call("GetTask", { id });
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  const last = () => webhook.arrivals.at(-1)?.event.statusUpdate?.status.state;
  await webhook.until(() => last() === "TASK_STATE_COMPLETED");
  const seen = once(webhook.generations);
  assert.deepEqual(
    [...new Set(seen)].sort((one, other) => one - other),
    Array.from({ length: Math.max(...seen) }, (_, index) => index + 1),
  );
  assert.deepEqual(
    seen,
    [...seen].sort((one, other) => one - other),
  );
}
