import assert from "node:assert/strict";
import { Role, type StreamResponse, TaskState } from "@a2a-js/sdk";
import { type Client, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { test } from "vitest";
import { completed, defineAgent, working } from "../../../src/index.js";
import { Webhook } from "../../push/webhook.js";
import { frameworks } from "../../support/frameworks.js";
import { plainCard } from "../../support/peer.js";

// The other calls of the published client run on every host in test/hosts.

/** An agent that works until its task is canceled. */
const agent = defineAgent({
  card: plainCard,
  async *execute({ signal }) {
    yield working();
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    yield completed();
  },
});

const request: any = {
  message: {
    ...{ messageId: "m1", role: Role.ROLE_USER, contextId: "", taskId: "", metadata: undefined },
    ...{ extensions: [], referenceTaskIds: [] },
    parts: [{ content: { $case: "text", value: "go" }, metadata: undefined, filename: "", mediaType: "" }],
  },
  ...{ tenant: "", metadata: undefined },
};

/** The client finds the card below a path if the URL ends with a slash. */
const clientOf = (url: string, transport: string): Promise<Client> =>
  new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { preferredTransports: [transport] }),
  ).createFromUrl(`${url}/`);

for (const [name, embed] of Object.entries(frameworks)) {
  test(`BIND-01: the peer's client registers a webhook, is notified of its cancel, and deletes it [${name}]`, async (t) => {
    const push = { allowHttp: true, allowPrivateNetworks: true };
    const { url, close } = await embed(agent, { push }, { at: "/shop/agent" });
    t.onTestFinished(() => close(0));
    for (const transport of ["JSONRPC", "HTTP+JSON"]) {
      const webhook = await Webhook.open(t);
      const client = await clientOf(`${url}/shop/agent`, transport);
      const stream = client.sendMessageStream(request);
      const { payload } = (await stream.next()).value as StreamResponse;
      assert.ok(payload?.$case === "task");
      const { id: taskId } = payload.value;
      const made = await client.createTaskPushNotificationConfig({
        ...{ tenant: "", taskId, id: "hook", url: webhook.url(), token: "secret", authentication: undefined },
      });
      const place = { taskId, id: "hook", tenant: "" };
      assert.deepEqual(await client.getTaskPushNotificationConfig(place), made);
      const page = { taskId, tenant: "", pageSize: 0, pageToken: "" };
      assert.deepEqual((await client.listTaskPushNotificationConfig(page)).configs, [made]);
      const canceled = await client.cancelTask({ id: taskId, tenant: "", metadata: undefined } as never);
      assert.equal(canceled.status?.state, TaskState.TASK_STATE_CANCELED);
      for await (const _ of stream);
      await webhook.count(1);
      assert.equal(webhook.arrivals[0]?.headers["x-a2a-notification-token"], "secret");
      await client.deleteTaskPushNotificationConfig(place);
      assert.deepEqual((await client.listTaskPushNotificationConfig(page)).configs, []);
    }
  });
}
