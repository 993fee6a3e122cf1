import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamResponse, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import {
  DefaultPushNotificationSender,
  InMemoryPushNotificationStore,
  ServerCallContext,
} from "@a2a-js/sdk/server";
import Koa from "koa";
import { type TestContext, test, vi } from "vitest";
import { artifact, completed, inputRequired, working } from "../../src/index.js";
import { type PushNotification, pushMiddleware, pushReceiver, type Secrets } from "../../src/push/index.js";
import { near } from "../push/desk.js";
import { Webhook } from "../push/webhook.js";
import { serveExecutor, text } from "../support/peer.js";

const url = "https://hooks.example/hook";
const config = (more: object) => TaskPushNotificationConfig.fromJSON({ url, ...more });

for (const transport of ["JSONRPC", "HTTP+JSON"]) {
  test(`BIND-01: the peer's client creates, reads, lists and deletes push configs over ${transport}`, async (t) => {
    const server = await serveExecutor(
      t,
      async function* () {
        yield inputRequired("More?");
      },
      { push: near },
    );
    const { result } = await server.rpc.call("SendMessage", text("go"));
    const taskId: string = result.task.id;
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      preferredTransports: [transport],
    });
    const client = await new ClientFactory(options).createFromUrl(server.url);
    const authentication = { scheme: "Bearer", credentials: "c" };
    const made = await client.createTaskPushNotificationConfig(
      config({ taskId, id: "mine", url: "http://127.0.0.1:9/hook", token: "t", authentication }),
    );
    assert.equal(made.id, "mine");
    assert.equal(made.token, "t");
    assert.deepEqual({ ...made.authentication }, authentication);
    const place = { taskId, id: "mine", tenant: "" };
    assert.deepEqual(await client.getTaskPushNotificationConfig(place), made);
    const list = await client.listTaskPushNotificationConfig({
      taskId,
      tenant: "",
      pageSize: 0,
      pageToken: "",
    });
    assert.deepEqual(list.configs, [made]);
    assert.equal(list.nextPageToken, "");
    await client.deleteTaskPushNotificationConfig(place);
    await client.deleteTaskPushNotificationConfig(place);
    await assert.rejects(client.getTaskPushNotificationConfig(place), /not/i);
  });
}

test("PUSH-01, PUSH-02: the peer reads every notification of ours, and loses nothing of it", async (t) => {
  const webhook = await Webhook.open(t);
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield working("on it");
      yield artifact({ name: "result" }).text("done", { last: true });
      yield artifact().data({ key: "value", count: 42 });
      yield completed("bye");
    },
    { push: near },
  );
  const configuration = { taskPushNotificationConfig: { url: webhook.url() } };
  // The version that the peer reads.
  await rpc.call("SendMessage", text("go", { configuration }), { "A2A-Version": "1.0" });
  await webhook.count(4);
  const kinds = webhook.arrivals.map(({ event, body }) => {
    const read = StreamResponse.fromJSON(JSON.parse(body));
    assert.deepEqual(JSON.parse(JSON.stringify(StreamResponse.toJSON(read))), event);
    return read.payload?.$case;
  });
  assert.deepEqual(kinds, ["task", "artifactUpdate", "artifactUpdate", "statusUpdate"]);
});

/** Our receiving end in Koa; the task's secrets are given by the test. */
async function receivingEnd(t: TestContext, secrets: Secrets) {
  const taken: PushNotification[] = [];
  const receiver = pushReceiver({
    expect: ({ taskId }) => (taskId === "task-1" ? secrets : undefined),
    onNotification: (notification) => void taken.push(notification),
  });
  const server = createServer(new Koa().use(pushMiddleware(receiver)).callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, taken };
}

const events = [
  { task: { id: "task-1", contextId: "c", status: { state: "TASK_STATE_SUBMITTED" } } },
  {
    statusUpdate: {
      taskId: "task-1",
      contextId: "c",
      status: { state: "TASK_STATE_WORKING", timestamp: "2025-01-01T00:00:00.000Z" },
    },
  },
  {
    artifactUpdate: {
      taskId: "task-1",
      contextId: "c",
      artifact: { artifactId: "a", parts: [{ text: "part" }] },
      lastChunk: true,
    },
  },
  {
    message: {
      messageId: "m",
      taskId: "task-1",
      contextId: "c",
      role: "ROLE_AGENT",
      parts: [{ text: "hi" }],
    },
  },
];

const handedOut: Record<string, { config: object; secrets: Secrets }> = {
  "a token": { config: { token: "secret" }, secrets: { token: "secret" } },
  credentials: {
    config: { authentication: { scheme: "Bearer", credentials: "secret" } },
    secrets: { authorization: "Bearer secret" },
  },
};

for (const [what, { config: more, secrets }] of Object.entries(handedOut)) {
  test(`HOOK-01, HOOK-09: our receiving end takes what the peer sends, recognised by ${what}`, async (t) => {
    const { url, taken } = await receivingEnd(t, secrets);
    vi.spyOn(console, "info").mockImplementation(() => undefined);
    const failures = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const store = new InMemoryPushNotificationStore();
    const context = new ServerCallContext({ requestedVersion: "1.0" });
    await store.save("task-1", context, config({ id: "mine", taskId: "task-1", url, ...more }));
    const sender = new DefaultPushNotificationSender(store);
    for (const event of events) await sender.send(StreamResponse.fromJSON(event), context);
    assert.equal(failures.mock.calls.length, 0);
    assert.deepEqual(
      taken.map(({ event }) => Object.keys(event)[0]),
      ["task", "statusUpdate", "artifactUpdate", "message"],
    );
    assert.equal(taken[1]?.event.statusUpdate?.status.state, "TASK_STATE_WORKING");
    assert.equal(taken[2]?.event.artifactUpdate?.artifact.parts[0]?.text, "part");
  });
}

test("HOOK-02: our receiving end refuses the peer's notifications when they bring nothing back", async (t) => {
  const { url, taken } = await receivingEnd(t, { token: "secret" });
  const failures = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const store = new InMemoryPushNotificationStore();
  const context = new ServerCallContext({ requestedVersion: "1.0" });
  await store.save("task-1", context, config({ id: "mine", taskId: "task-1", url, token: "guess" }));
  await new DefaultPushNotificationSender(store).send(StreamResponse.fromJSON(events[0]), context);
  assert.match(String(failures.mock.calls[0]), /401/);
  assert.equal(taken.length, 0);
});
