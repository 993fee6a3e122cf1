import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type PushNotification, pushMiddleware, pushReceiver } from "a2a-parley/push";
import Koa from "koa";

/**
 * A webhook for one task.
 * @returns URL and token for the push config, and the authentic notifications, each once and in order
 */
export async function openWebhook() {
  const token = crypto.randomUUID();
  const { readable, writable } = new TransformStream<PushNotification, PushNotification>();
  const inbox = writable.getWriter();
  // The webhook acknowledges a notification once the reader has taken it from the inbox.
  const receiver = pushReceiver({ expect: () => ({ token }), onNotification: (each) => inbox.write(each) });

  const app = new Koa().use(pushMiddleware(receiver));
  const server = createServer(app.callback()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, token, notifications: readable, close: () => server.close() };
}
