import { connect, isTerminal, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agent } from "./agent.js";
import { openWebhook } from "./webhook.js";

// These options are needed because the webhook is on this machine. Without them agents only call public https addresses.
const server = await serve(agent, { push: { allowHttp: true, allowPrivateNetworks: true } });
const client = await connect(server.url);

const webhook = await openWebhook();
const { url, token } = webhook;
const { task } = await client.sendText("A pot", {
  configuration: { returnImmediately: true, taskPushNotificationConfig: { url, token } },
});
console.log(`sent: ${task?.status.state}`);

const forged = await fetch(url, {
  method: "POST",
  headers: { "Content-Type": "application/a2a+json", "A2A-Notification-Token": "a guess" },
  body: JSON.stringify({ task }),
});
console.log(`a notification with a wrong token: ${forged.status}`);

for await (const { event, generation } of webhook.notifications) {
  const { task, statusUpdate, artifactUpdate } = event;
  if (artifactUpdate) console.log(generation, textOf(artifactUpdate.artifact));
  const status = task?.status ?? statusUpdate?.status;
  if (!status) continue;
  console.log(generation, status.state, status.message ? textOf(status.message) : "");
  if (isTerminal(status.state)) break;
}

webhook.close();
await server.close();
