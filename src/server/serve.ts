import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type AgentApp, appOf, GRACE_SECONDS } from "./create-app.js";
import { hostOf } from "./public-url.js";
import type { ServerOptions } from "./settings.js";
import { type Agents, Site } from "./site.js";

/** Where and how to listen. */
export interface ServeOptions extends ServerOptions {
  /** Port; any free one by default. */
  readonly port?: number;
  /** Address to listen on; only this machine by default. */
  readonly host?: string;
}

/** A server that is listening. */
export interface RunningServer {
  /** URL of the server without a slash at its end, as its cards show it where they can. */
  readonly url: string;
  readonly port: number;
  readonly app: AgentApp;
  /**
   * Stops listening, ends open streams in good order, waits for answers under way, stops the executors, and lets go of every
   * connection.
   * @param grace seconds to wait for answers; 10 by default
   */
  close(grace?: number): Promise<void>;
}

/** A request must be complete within this time, so that nobody holds connections by sending slowly. */
const REQUEST_MS = 60_000;
const HEADERS_MS = 15_000;
const CHECK_MS = 5_000;

/** Addresses that mean "all of them" and lead nowhere in a URL. */
const WILDCARDS = ["0.0.0.0", "::"];

/**
 * Serves one agent, or several by path: `serve({ "/research": a, "/writer": b })`.
 *
 * @throws CardError for a card that must not be served
 * @throws TypeError for options that cannot be right
 * @throws Error of Node when the port is taken
 */
export async function serve(agents: Agents, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = 0, host = "127.0.0.1", ...rest } = options;
  const site = new Site(agents, rest);
  const app = appOf(site);
  const server = createServer(
    {
      requestTimeout: REQUEST_MS,
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: site.settings.limits.headers,
    },
    app.callback(),
  );
  try {
    server.listen(port, host);
    await once(server, "listening");
    const { address, port: bound } = server.address() as AddressInfo;
    const local = `http://${hostOf(WILDCARDS.includes(address) ? "localhost" : address, bound)}`;
    site.settleAt(WILDCARDS.includes(address) ? undefined : local);
    await Promise.all(site.mounts.map(({ ready }) => ready));
    if (site.address !== undefined) await site.prepare(site.address);
    return { url: site.address ?? local, port: bound, app, close: (grace) => close(server, site, grace) };
  } catch (error) {
    await close(server, site, 0);
    throw error;
  }
}

async function close(server: Server, site: Site, grace = GRACE_SECONDS): Promise<void> {
  const closed = server.listening ? once(server, "close") : undefined;
  server.close();
  await site.close(grace);
  // Whoever still reads an answer, or sends a request, has had its time.
  server.closeAllConnections();
  await closed;
}
