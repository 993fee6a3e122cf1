import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { connect, type Received, type RemoteError, type StreamResponse, textOf } from "a2a-parley/client";
import { apiKeys, serve } from "a2a-parley/server";
import { press } from "./agent.js";

const keys = { "alices-key": "alice", "bobs-key": "bob" };
// The webhook of this program is on this machine.
const agent = press({ allowHttp: true, allowPrivateNetworks: true });
// A later version of the protocol may ask more of a handler: it serves those whose rules it follows.
const server = await serve(agent, { versions: ["1.0", "0.3"], auth: { verifiers: { key: apiKeys(keys) } } });
const alice = await connect(server.url, { credentials: { key: "alices-key" } });
const bob = await connect(server.url, { credentials: { key: "bobs-key" } });

const { message } = await alice.sendText("help");
console.log(`send: ${message && textOf(message)}`);
const { task: poster } = await alice.sendText("TEA");
console.log(`send: ${poster?.artifacts?.map((artifact) => textOf(artifact))}`);
const again = await alice.getTask({ id: poster?.id ?? "" });
console.log(`get: ${again.status.state}`);
for await (const event of alice.stream("MILK")) console.log(`stream: ${told(event)}`);

const { task: banner } = await alice.sendText("a banner", { configuration: { returnImmediately: true } });
const id = banner?.id ?? "";
console.log(`send: ${banner?.status.state}`);
const { tasks, totalSize } = await alice.listTasks({ status: "TASK_STATE_COMPLETED", pageSize: 1 });
console.log(`list: ${tasks.length} of ${totalSize}`);

const webhook = createServer().listen(0, "127.0.0.1");
await once(webhook, "listening");
const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
const { id: configId = "" } = await alice.createTaskPushNotificationConfig({ taskId: id, url });
const config = await alice.getTaskPushNotificationConfig({ taskId: id, id: configId });
console.log(`get webhook: ${config.url === url}`);
const { configs = [] } = await alice.listTaskPushNotificationConfigs({ taskId: id });
console.log(`list webhooks: ${configs.length}`);

// The first event of a subscription is the task as it is.
const notified = once(webhook, "request");
for await (const event of alice.subscribeToTask({ id })) {
  console.log(`subscribe: ${told(event)}`);
  if (!event.task) continue;
  await bob.cancelTask({ id }).catch((error: RemoteError) => console.log(`cancel by another: ${error.code}`));
  await alice.cancelTask({ id });
}
const [request, response] = await notified;
console.log(`webhook: ${told((await json(request)) as StreamResponse)}`);
response.end();

await alice.deleteTaskPushNotificationConfig({ taskId: id, id: configId });
const { configs: left = [] } = await alice.listTaskPushNotificationConfigs({ taskId: id });
console.log(`delete webhook: ${left.length} left`);
const { description } = await alice.getExtendedAgentCard({});
console.log(`extended card: ${description}`);

webhook.close();
await server.close();

function told({ task, statusUpdate, artifactUpdate }: Received<StreamResponse>): string {
  if (artifactUpdate) return textOf(artifactUpdate.artifact);
  return String((task ?? statusUpdate)?.status?.state ?? "");
}
