import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { artifact, authRequired, completed, inputRequired, textOf, working } from "../../src/index.js";
import { pushReceiver } from "../../src/push/index.js";
import { serveExecutor } from "../support/peer.js";
import { near } from "./desk.js";
import { Webhook } from "./webhook.js";

test("HOOK-10: a client that is told of the end asks for the whole task", async (t) => {
  const { url } = await serveExecutor(
    t,
    async function* ({ text }) {
      yield working();
      if (text !== "go on") return yield inputRequired("Shall I?");
      yield artifact({ name: "result" }).text("one");
      return yield completed();
    },
    { push: near },
  );
  const client = await connect(url);
  const { task } = await client.sendText("go");
  assert.ok(task);
  const webhook = await Webhook.open(t);
  await client.createTaskPushNotificationConfig({ taskId: task.id, url: webhook.url(), token: "secret" });
  const texts: string[] = [];
  const receiver = pushReceiver({
    expect: ({ taskId }) => (taskId === task.id ? { token: "secret" } : undefined),
    onNotification: async ({ taskId, event }) => {
      if (event.statusUpdate?.status.state !== "TASK_STATE_COMPLETED") return;
      const { artifacts = [] } = await client.getTask({ id: taskId });
      texts.push(...artifacts.map(textOf));
    },
  });
  await client.sendText("go on", { message: { taskId: task.id } });
  await webhook.until(
    () => webhook.arrivals.at(-1)?.event.statusUpdate?.status.state === "TASK_STATE_COMPLETED",
  );
  for (const { method, headers, body } of webhook.arrivals) {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    await receiver.receive({ method, url: webhook.url(), headers: sent, body });
  }
  assert.deepEqual(texts, ["one"]);
});

test("INTASK-08: an agent that calls another one passes the need for authorization on to its own caller", async (t) => {
  const inner = await serveExecutor(t, async function* () {
    yield authRequired("Log in at the vault");
  });
  const outer = await serveExecutor(t, async function* ({ signal }) {
    yield working();
    const { task } = await (await connect(inner.url)).sendText("open", { signal });
    const { state, message } = task?.status ?? {};
    if (state === "TASK_STATE_AUTH_REQUIRED") yield authRequired(message ? textOf(message) : "");
    else yield completed();
  });
  const { task } = await (await connect(outer.url)).sendText("go");
  assert.equal(task?.status.state, "TASK_STATE_AUTH_REQUIRED");
  assert.equal(task.status.message && textOf(task.status.message), "Log in at the vault");
});
