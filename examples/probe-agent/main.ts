import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BindingName, createApp } from "a2a-parley/server";
import { probeAgent } from "./agent.js";
import { grantCredential, passCredentialOn } from "./credentials.js";
import { delayed } from "./delayed-store.js";
import { identity } from "./identity.js";
import { openStore } from "./open-store.js";
import { readSettings } from "./settings.js";

const settings = readSettings(process.env);
const server = createServer();
server.listen(settings.port, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const store = await openStore(settings.store);
const inward = settings.allowPrivateWebhooks;
const webhooks = { allowHttp: inward, allowPrivateNetworks: inward };
const app = createApp(probeAgent(settings), {
  publicUrl: settings.publicUrl ?? url,
  paths: { jsonRpc: ["/", "/a2a/jsonrpc"], httpJson: "/a2a/rest" },
  bindings: settings.bindings as BindingName[],
  ...(settings.versions && { versions: settings.versions }),
  store: settings.storeDelay > 0 ? delayed(store, settings.storeDelay) : store,
  auth: identity(settings).auth,
  ...(settings.push && { push: webhooks }),
  ...(settings.maxBody !== undefined && { limits: { body: settings.maxBody } }),
});
const answer = app.callback();
server.on("request", (request, response) => {
  const taskId = /^\/probe\/credential\/([^/?]+)$/.exec(request.url ?? "")?.[1];
  if (request.method !== "POST" || taskId === undefined) void answer(request, response);
  else void takeCredential(decodeURIComponent(taskId), response);
});
console.log(`listening ${url}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close();
    void app.close().then(async () => {
      server.closeAllConnections();
      await store.close?.();
    });
  });
}

/**
 * `POST /probe/credential/<taskId>`: the out-of-band way in which a task that waits for a login gets it. One that another process
 * works on gets it as a message.
 */
async function takeCredential(taskId: string, response: ServerResponse): Promise<void> {
  const isTaken = grantCredential(taskId) || (await passCredentialOn(url, taskId).catch(() => false));
  response.writeHead(isTaken ? 204 : 404).end();
}
