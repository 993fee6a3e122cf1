import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { PushReceiver } from "../push/receiver/push-receiver.js";

/** A webhook that is listening. */
export interface WebhookServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves a push receiver on every path.
 * @throws Error of Node when the port is taken
 */
export async function serveWebhook(
  receiver: PushReceiver,
  place: { readonly port: number; readonly host: string },
): Promise<WebhookServer> {
  const server = createServer((request, response) => {
    bodyOf(request, receiver.maxBytes)
      .then((body) => {
        const { method = "", url = "", headers } = request;
        return body === undefined ? { status: 413 } : receiver.receive({ method, url, headers, body });
      })
      .then(({ status }) => response.writeHead(status).end())
      // The sender hung up.
      .catch(() => response.destroy());
  });
  server.listen(place.port, place.host);
  await once(server, "listening");
  const { port, address, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}/`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The bytes of a request; undefined when there are too many. */
async function bodyOf(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
