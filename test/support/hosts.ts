import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { PushOptions } from "../../src/push/options.js";
import { createHandler, type FetchHandler } from "../../src/server/fetch/index.js";
import { type Agents, type RunningServer, type ServeOptions, serve } from "../../src/server/index.js";

/** The host that serves the agents of a test: that of `serve`, unless the project names the other one. No vitest here: children load it. */
export const isFetch = process.env.TEST_HOST === "fetch";

/** A server of either host. */
export type TestServer = Pick<RunningServer, "url" | "port" | "close">;

/** Whether the project of the test runs it over gRPC, instead of the two JSON bindings. */
export const isGrpc = process.env.TEST_BINDING === "GRPC";

/** The options of a server with the bindings of the project; none for those that it has anyway. */
export const testedOptions: ServeOptions = isGrpc ? { bindings: ["JSONRPC", "HTTP+JSON", "GRPC"] } : {};

/** Serves agents through the host that the project of the test names. */
export const serveHere: (agents: Agents, options?: ServeOptions) => Promise<TestServer> = isFetch
  ? serveFetch
  : (agents, options) => serve(agents, { ...testedOptions, ...options });

/** Whether the host reads bodies in br: `DecompressionStream` has it on newer runtimes only. */
export const readsBrotli = !isFetch || hasBrotli();

function hasBrotli(): boolean {
  try {
    return new DecompressionStream("brotli" as "gzip") !== undefined;
  } catch {
    return false;
  }
}

export async function serveFetch(
  agents: Agents,
  { host = "127.0.0.1", port = 0, ...options }: ServeOptions = {},
) {
  const server = createServer((req, res) => void answer(handler, req, res));
  server.listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  const url = `http://${host}:${bound}`;
  // A handler is not told where it is reached, which signed cards have to know.
  const handler = createHandler(agents, {
    ...(options.cardKeys && { publicUrl: url }),
    ...options,
    ...(options.push && { push: allowingHosts(options.push) }),
  });
  return {
    url: options.publicUrl ?? url,
    port: bound,
    async close(grace?: number) {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      await handler.close(grace);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** This host runs without the addresses of names, where webhooks need a list of hosts. */
function allowingHosts(push: PushOptions): PushOptions {
  return push.allowPrivateNetworks
    ? push
    : { allowHosts: ["example.com", "*.example.com", "*.example"], ...push };
}

/** Answers a request of Node through a handler, with backpressure in both directions, as an adapter of a runtime does. */
async function answer(handler: FetchHandler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  try {
    const response = await handler(requestOf(req, signal), { address: req.socket.remoteAddress });
    res.writeHead(response.status, headersOf(response));
    res.flushHeaders();
    for await (const piece of response.body ?? []) {
      if (!res.write(piece)) await once(res, "drain", { signal });
    }
    res.end();
  } catch {
    res.destroy();
  } finally {
    // What is left of a refused body is dropped.
    req.removeAllListeners("data").resume();
  }
}

/** Names as they are usually spelled, for tests that read what is on the wire. */
function headersOf({ headers }: Response): Record<string, string> {
  const spelled = (name: string) => name.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
  return Object.fromEntries([...headers].map(([name, value]) => [spelled(name), value]));
}

function requestOf(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  const { rawHeaders, method = "GET", url = "/" } = req;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  }
  const hasBody = headers.has("content-length") || headers.has("transfer-encoding");
  const body = hasBody && method !== "GET" && method !== "HEAD" ? bodyOf(req) : null;
  const { localAddress, localPort } = req.socket;
  const init = { method, headers, body, signal, duplex: "half" as const };
  return new Request(`http://${headers.get("host") ?? `${localAddress}:${localPort}`}${url}`, init);
}

function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      req.on("data", (piece: Buffer) => {
        controller.enqueue(new Uint8Array(piece));
        if ((controller.desiredSize ?? 0) <= 0) req.pause();
      });
      req.once("end", () => controller.close());
      req.once("error", (error) => controller.error(error));
      req.pause();
    },
    pull() {
      req.resume();
    },
  });
}
