import assert from "node:assert/strict";
import { test } from "vitest";
import type { A2AHandler } from "../../src/bridges/index.js";
import { type Client, connect, RemoteError } from "../../src/client/index.js";
import { A2AError, artifact, type CallContext, completed, inputRequired, working } from "../../src/index.js";
import { collect, kindOf, plainCard, serveFor, text } from "../support/peer.js";

/** What the agent behind reports is reported in front. */
function inFront(error: unknown): never {
  if (!(error instanceof RemoteError)) throw error;
  const { code, message } = error;
  throw new A2AError(code === "UNKNOWN" || code === "BAD_REQUEST" ? "INTERNAL_ERROR" : code, message);
}

async function* through<T>(events: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* events;
  } catch (error) {
    inFront(error);
  }
}

/** A hand-made handler: all eleven operations, passed on to another agent. */
function bridge(client: Client): A2AHandler<CallContext> {
  return {
    sendMessage: (request) => client.sendMessage(request).catch(inFront),
    sendStreamingMessage: (request, { signal }) => through(client.sendStreamingMessage(request, { signal })),
    getTask: (request) => client.getTask(request).catch(inFront),
    listTasks: (request) => client.listTasks(request).catch(inFront),
    cancelTask: (request) => client.cancelTask(request).catch(inFront),
    subscribeToTask: (request, { signal }) => through(client.subscribeToTask(request, { signal })),
    createTaskPushNotificationConfig: (request) =>
      client.createTaskPushNotificationConfig(request).catch(inFront),
    getTaskPushNotificationConfig: (request) => client.getTaskPushNotificationConfig(request).catch(inFront),
    listTaskPushNotificationConfigs: (request) =>
      client.listTaskPushNotificationConfigs(request).catch(inFront),
    deleteTaskPushNotificationConfig: (request) =>
      client.deleteTaskPushNotificationConfig(request).catch(inFront),
    getExtendedAgentCard: (request) => client.getExtendedAgentCard(request).catch(inFront),
  };
}

test("BIND-01, CLI-06: a hand-made handler bridges all operations over both bindings", async (t) => {
  const behind = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ task }) {
        yield working();
        if (task === undefined) {
          yield inputRequired("Which?");
          return;
        }
        yield artifact().text("this");
        yield completed();
      },
      extendedCard: { description: "Behind" },
      extendedCardForAnyone: true,
    },
    { push: { allowPrivateNetworks: true, allowHttp: true } },
  );
  const client = await connect(behind.url);
  const { rpc, rest } = await serveFor(t, {
    card: { ...plainCard, name: "Bridge" },
    handler: bridge(client),
  });
  for (const peer of [rpc, rest]) {
    const { id } = (await peer.call("SendMessage", text("go"))).result.task;
    assert.deepEqual(
      (await peer.call("GetTask", { id })).result,
      (await behind.rpc.call("GetTask", { id })).result,
    );
    assert.equal((await peer.call("ListTasks", { status: "TASK_STATE_INPUT_REQUIRED" })).result.totalSize, 1);
    const config = { taskId: id, id: "hook", url: "http://127.0.0.1:9/hook" };
    assert.equal((await peer.call("CreateTaskPushNotificationConfig", config)).result.url, config.url);
    assert.equal(
      (await peer.call("GetTaskPushNotificationConfig", { taskId: id, id: "hook" })).result.id,
      "hook",
    );
    assert.equal(
      (await peer.call("ListTaskPushNotificationConfigs", { taskId: id })).result.configs.length,
      1,
    );
    assert.equal(
      (await peer.call("DeleteTaskPushNotificationConfig", { taskId: id, id: "hook" })).error,
      undefined,
    );
    assert.equal(
      (await peer.call("ListTaskPushNotificationConfigs", { taskId: id })).result.configs.length,
      0,
    );
    const follower = peer.stream("SubscribeToTask", { id });
    assert.equal(kindOf((await follower.next()).value?.data), "task");
    const sent = await collect(
      peer.stream("SendStreamingMessage", text("this", { message: { taskId: id } })),
    );
    assert.deepEqual(
      sent.map(({ data }) => kindOf(data)),
      ["task", "statusUpdate", "artifactUpdate", "statusUpdate"],
    );
    assert.equal((await collect(follower)).at(-1)?.data.statusUpdate.status.state, "TASK_STATE_COMPLETED");
    assert.equal((await peer.call("CancelTask", { id })).error, "TASK_NOT_CANCELABLE");
    assert.equal((await peer.call("GetTask", { id: "nobody" })).error, "TASK_NOT_FOUND");
    assert.equal((await peer.call("GetExtendedAgentCard", {})).result.description, "Behind");
  }
});
