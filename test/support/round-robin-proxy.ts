import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "vitest";

/** A proxy that gives each request to the next one of several servers. */
export interface RoundRobinProxy {
  readonly url: string;
  /** Base URLs of the servers; the one whose turn it is comes first. */
  readonly targets: string[];
  /** Requests that each server got, by base URL. */
  readonly passed: Map<string, number>;
}

/** Starts a proxy on a port of its own; it has no targets yet. Heads and bodies pass as they come, streams piece by piece. */
export async function roundRobinProxy(t: Pick<TestContext, "onTestFinished">): Promise<RoundRobinProxy> {
  const targets: string[] = [];
  const passed = new Map<string, number>();
  const server = createServer((incoming, outgoing) => {
    const target = targets.shift();
    if (target === undefined) throw new Error("Nobody to pass it on to");
    targets.push(target);
    passed.set(target, (passed.get(target) ?? 0) + 1);
    pass(incoming, outgoing, target);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets, passed };
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: string): void {
  const { method, url, rawHeaders } = incoming;
  const { hostname, port } = new URL(target);
  const onward: ClientRequest = request({ hostname, port, method, path: url, headers: rawHeaders });
  onward.on("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  // A server may answer and hang up before it has read everything: then there is an answer, and no failure.
  onward.on("error", () => {
    if (!outgoing.headersSent) outgoing.destroy();
  });
  // Whoever goes away early takes the request to the server along.
  outgoing.on("close", () => onward.destroy());
  incoming.pipe(onward);
}
