import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";

/** Serves a listener for one test. @returns its origin, at 127.0.0.1 */
export async function listenFor(
  t: Pick<TestContext, "onTestFinished">,
  listener: RequestListener,
): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
