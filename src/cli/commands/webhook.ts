import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bodyOf } from "../../inspector/request-body.js";
import {
  type PushReceiver,
  type PushReceiverOptions,
  pushReceiver,
} from "../../push/receiver/push-receiver.js";
import type { Command, CommandCall } from "../command.js";
import { usage } from "../failure.js";
import { readKeySet } from "../key-file.js";
import { writeEvent } from "../text/write-task.js";
import { untilInterrupted } from "../until-interrupted.js";

/** A listening webhook. */
interface WebhookServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves a push receiver on every path.
 * @throws Node's error when the server cannot listen, for example because the port is taken
 */
async function serveWebhook(
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
      // The sender has disconnected.
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

/** `parley webhook`: receives push notifications, and prints those that are authentic. */
export const webhookCommand: Command = {
  path: ["webhook"],
  summary: "Receive push notifications, verify and print them, until Ctrl+C",
  args: [],
  options: [
    { name: "port", takes: "n", fallback: "41242", help: "Port to listen on; 0 for any free one" },
    { name: "host", takes: "address", fallback: "127.0.0.1", help: "Address to listen on" },
    { name: "token", takes: "token", secret: true, help: "Token that every notification must contain" },
    {
      name: "authorization",
      takes: "text",
      secret: true,
      help: "Authorization header that every notification must have",
    },
    { name: "jwks", takes: "url|file", help: "Key set of the agent: requires signatures" },
    { name: "issuer", takes: "name", help: "Issuer in the signatures" },
    {
      name: "audience",
      takes: "url",
      help: "Audience in the signatures: the URL of this webhook in the push config",
    },
    { name: "count", takes: "n", help: "Stop after this number of notifications" },
  ],
  examples: ["parley webhook --token s3cret-and-long -o json"],
  run,
};

async function run(call: CommandCall): Promise<void> {
  const { values, notes, output, io, signal } = call;
  const port = values.count("port") ?? 0;
  const host = values.text("host") ?? "127.0.0.1";
  const count = values.count("count", 1) ?? Number.POSITIVE_INFINITY;
  const enough = new AbortController();
  let taken = 0;
  const receiver = pushReceiver({
    ...(await trust(call)),
    logger: notes.logger,
    onNotification: ({ event }) => {
      if (taken >= count) throw new Error("No more notifications are accepted");
      taken += 1;
      if (output.isJson) output.raw(`${JSON.stringify(event)}\n`);
      else output.page((page) => writeEvent(page, event));
      if (taken >= count) enough.abort();
    },
  });
  const server = await serveWebhook(receiver, { port, host });
  notes.hint(`listening at ${server.url}`);
  await Promise.race([untilInterrupted(signal), untilInterrupted(enough.signal)]);
  // Lets the response to the last notification be sent.
  if (!io.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
  await server.close();
}

type Trust = Pick<PushReceiverOptions, "expect" | "signature">;

/** How notifications are authenticated. */
async function trust({ values, io }: CommandCall): Promise<Trust> {
  const [token, authorization] = [values.text("token"), values.text("authorization")];
  const [jwks, issuer, audience] = [values.text("jwks"), values.text("issuer"), values.text("audience")];
  const secrets = {
    ...(token !== undefined && { token }),
    ...(authorization !== undefined && { authorization }),
  };
  const expect = () => secrets;
  if (jwks === undefined) {
    if (token !== undefined || authorization !== undefined) return { expect };
    throw usage("webhook needs a way to authenticate the sender: --token, --authorization or --jwks");
  }
  if (issuer === undefined || audience === undefined) throw usage("--jwks needs --issuer and --audience");
  const keys = /^https?:/i.test(jwks) ? jwks : await readKeySet(jwks, io);
  return { expect, signature: { keys, issuer, audience, fetch: io.fetch } };
}
