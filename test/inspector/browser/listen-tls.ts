import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";
import { certify } from "../../auth/certificates.js";

const name = { CN: "Test authority" };

/** The authority of the servers and clients of these tests. */
export const authority = { subject: name, ...certify({ subject: name }) };

/** Serves a listener over TLS to one test. It asks callers for a certificate. @returns its origin, at localhost */
export async function listenTls(
  t: Pick<TestContext, "onTestFinished">,
  listener: RequestListener,
): Promise<string> {
  const own = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"], issuer: authority });
  const tls = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}
