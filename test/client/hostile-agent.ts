import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { TestContext } from "vitest";
import { type Client, type ConnectOptions, connect } from "../../src/client/index.js";
import { cardOf } from "./scripted.js";

/** What an agent does with a connection once a request has come. */
export type Behaviour = (socket: Socket, path: string) => void | Promise<void>;

/** An agent on a real port that answers in bytes of its own. `allClosed` resolves when no request of it is open any more. */
export async function hostileAgent(t: TestContext, behave: Behaviour) {
  const sockets = new Set<Socket>();
  const closings: Promise<unknown>[] = [];
  const server = createServer((socket) => {
    sockets.add(socket.setMaxListeners(0));
    socket.on("error", () => undefined);
    socket.once("data", (request) => {
      closings.push(new Promise((resolve) => socket.once("close", resolve)));
      const [, path = ""] = request.toString("latin1").split(" ");
      void Promise.resolve(behave(socket, path)).catch(() => socket.destroy());
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, allClosed: () => Promise.all(closings) };
}

/** A client of such an agent that tries everything once, over JSON-RPC. */
export function clientAt(url: string, options: ConnectOptions = {}): Promise<Client> {
  const entry = { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
  const once = { retry: false, resume: false, timeouts: { connect: 0.3, total: 3 } } as const;
  return connect(cardOf({ supportedInterfaces: [entry] }), { ...once, ...options });
}

/** Writes the same bytes again and again, as fast as they are taken, until the connection is closed. */
export async function flood(socket: Socket, bytes: string | Uint8Array, pause = 0): Promise<void> {
  while (!socket.destroyed) {
    if (!socket.write(bytes)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    await new Promise((resolve) => (pause === 0 ? setImmediate(resolve) : setTimeout(resolve, pause)));
  }
}

/** The head of an answer, with a body of unknown length. */
export function head(type: string, more: readonly string[] = [], status = "200 OK"): string {
  return [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, "Connection: close", ...more, "", ""].join("\r\n");
}
