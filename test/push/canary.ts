import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";

/** A server on loopback that notes everything that reaches it. */
export interface Canary {
  readonly port: number;
  /** Connections that were made, whether or not a request came over them. */
  readonly connections: () => number;
  /** Requests that came, first line and headers. */
  readonly requests: IncomingMessage[];
}

/** Opens a server for one test on every address of this machine, IPv6 included. */
export async function canary(
  t: TestContext,
  answer: RequestListener = (_request, response) => response.writeHead(204).end(),
): Promise<Canary> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    answer(request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    const listen = (host: string) => server.listen(0, host, resolve);
    server.once("error", () => server.once("error", reject) && listen("0.0.0.0"));
    listen("::");
  });
  t.onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections, requests };
}
