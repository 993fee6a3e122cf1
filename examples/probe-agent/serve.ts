import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BindingName, createApp } from "a2a-parley/server";
import { probeAgent } from "./agent.js";
import { grantCredential, passCredentialOn } from "./credentials.js";
import { delayed } from "./delayed-store.js";
import { identity } from "./identity.js";
import { openStore } from "./open-store.js";
import type { Settings } from "./settings.js";

/** A probe agent that listens. */
export interface ServedProbe {
  readonly url: string;
  /** Stops the agent. Executors have `grace` seconds to end; by default as long as the library allows. */
  close(grace?: number): Promise<void>;
}

/**
 * Serves the probe agent on this machine.
 * @param drain seconds for pending deliveries to webhooks when the agent stops; by default those of the library
 */
export async function serveProbe(settings: Settings, drain?: number): Promise<ServedProbe> {
  const server = createServer();
  server.listen(settings.port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const store = await openStore(settings.store);
  const inward = settings.allowPrivateWebhooks;
  const webhooks = { allowHttp: inward, allowPrivateNetworks: inward, ...(drain !== undefined && { drain }) };
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
    else void takeCredential(url, decodeURIComponent(taskId), response);
  });
  return {
    url,
    async close(grace) {
      server.close();
      await app.close(grace);
      server.closeAllConnections();
      await store.close?.();
    },
  };
}

/**
 * `POST /probe/credential/<taskId>`: provides the credential for a task that waits for a login, out of band. A task that runs in another
 * process receives it as a message.
 */
async function takeCredential(url: string, taskId: string, response: ServerResponse): Promise<void> {
  const isTaken = grantCredential(taskId) || (await passCredentialOn(url, taskId).catch(() => false));
  response.writeHead(isTaken ? 204 : 404).end();
}
