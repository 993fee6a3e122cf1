import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { probeAgent } from "../../examples/probe-agent/agent.js";
import { identity } from "../../examples/probe-agent/identity.js";
import { readSettings } from "../../examples/probe-agent/settings.js";
import { createApp } from "../../src/server/index.js";

/** The probe agent inside this process, behind the URL that its card is to show. */
export async function serveProbe(env: Record<string, string> = {}, publicUrl?: string) {
  const settings = readSettings(env);
  const inward = settings.allowPrivateWebhooks;
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const app = createApp(probeAgent(settings), {
    publicUrl: publicUrl ?? url,
    paths: { jsonRpc: ["/", "/a2a/jsonrpc"], httpJson: "/a2a/rest" },
    auth: identity(settings).auth,
    ...(settings.versions && { versions: settings.versions }),
    ...(settings.push && { push: { drain: 0, allowHttp: inward, allowPrivateNetworks: inward } }),
  });
  server.on("request", app.callback());
  return { url, close: () => closed(server, () => app.close(0)) };
}

async function closed(server: Server, stop: () => Promise<void>): Promise<void> {
  server.close();
  await stop();
  server.closeAllConnections();
}
