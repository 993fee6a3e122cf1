import { once } from "node:events";
import { createServer, type ServerOptions as NodeServerOptions, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Complete } from "../../json/omit.js";
import { unknownName } from "../../json/unknown-name.js";
import { AgentServer, type Agents } from "../agent-server.js";
import { hostOf } from "../forwarded.js";
import type { Limits } from "../limits.js";
import { optionRows } from "../resolve-options.js";
import { MAX_HEADER_FIELDS } from "../router.js";
import type { ServerOptions } from "../settings.js";
import { Connections } from "./connections.js";
import { type AgentApp, appOf } from "./create-app.js";

/** Where and how to listen. */
export interface ServeOptions extends ServerOptions {
  /** Port; any free one by default. */
  readonly port?: number | undefined;
  /** Address to listen on; only this machine by default. */
  readonly host?: string | undefined;
}

/** A server that is listening. */
export interface RunningServer {
  /** URL of the server without a slash at its end, as its cards show it where they can. */
  readonly url: string;
  readonly port: number;
  readonly app: AgentApp;
  /**
   * Stops listening, ends open streams in good order, waits for answers under way, stops the executors, sends what webhooks
   * still wait for, and closes every connection. It returns a second after the grace at the latest.
   * @param grace seconds to wait for answers and webhooks; 10 by default
   */
  close(grace?: number): Promise<void>;
}

/** The part of the time for a request in which its headers must be there. */
const HEADERS_PART = 1 / 4;
/** How often in that time, and at most after how many milliseconds, connections that are too slow are looked for. */
const CHECKS = 4;
const CHECK_MS = 5_000;
/**
 * How many connections may wait to be accepted, as far as the system lets them. With Node's 511 a burst of callers who come back
 * at once is dropped, and the system tries each of them again after seconds, up to fifteen.
 */
const BACKLOG = 4096;
/** As many bytes of headers as Node can be told to take. */
const MAX_HEADERS = 2 ** 31 - 1;

/** Addresses that mean "all of them" and lead nowhere in a URL. */
const WILDCARDS = ["0.0.0.0", "::"];

/**
 * Serves one agent, or several by path: `serve({ "/research": a, "/writer": b })`.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @throws Error of Node when the port is in use
 * @example
 * ```ts
 * const server = await serve(agent, { port: 4000 });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serve(agents: Agents, options: ServeOptions = {}): Promise<RunningServer> {
  const { port = 0, host = "127.0.0.1", ...rest } = options;
  const unknown = unknownName(options, { ...optionRows, port: true, host: true });
  if (unknown !== undefined) throw new TypeError(unknown);
  const agentServer = new AgentServer(agents, rest);
  const app = appOf(agentServer);
  const { limits, logger } = agentServer.settings;
  const server = createServer(connectionRules(limits), app.callback());
  // One more than a request may have, so that it can be told from one that has too many.
  server.maxHeadersCount = MAX_HEADER_FIELDS + 1;
  const bounds = { total: limits.connections, each: limits.connectionsPerAddress };
  agentServer.connections = new Connections(server, bounds, logger);
  try {
    await agentServer.loading;
    server.listen({ port, host, backlog: BACKLOG });
    await once(server, "listening").catch((error: unknown) => {
      throw portFault(error, port);
    });
    const { address, port: bound } = server.address() as AddressInfo;
    const local = `http://${hostOf(WILDCARDS.includes(address) ? "localhost" : address, bound)}`;
    agentServer.settleAt(WILDCARDS.includes(address) ? undefined : local);
    await Promise.all(agentServer.mounts.map(({ ready }) => ready));
    if (agentServer.address !== undefined) await agentServer.prepare(agentServer.address);
    return {
      url: agentServer.address ?? local,
      port: bound,
      app,
      close: (grace) => close(server, agentServer, grace),
    };
  } catch (error) {
    await close(server, agentServer, 0);
    throw error;
  }
}

/** Says which process may have the port, and what to do. Other errors are returned unchanged. */
function portFault(error: unknown, port: number): unknown {
  if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) return error;
  const advice = `\`lsof -i :${port}\` names it. Stop it, or choose another port; \`port: 0\` takes a free one`;
  const fault = new Error(`Port ${port} is in use by another server, often an earlier run: ${advice}`, {
    cause: error,
  });
  return Object.assign(fault, { code: error.code });
}

/** Limits on slow requests and large headers, so that a caller cannot hold connections or memory. */
function connectionRules({ requestTime, headers }: Complete<Limits>): NodeServerOptions {
  const bounded = { maxHeaderSize: Math.min(headers, MAX_HEADERS) };
  if (requestTime === Number.POSITIVE_INFINITY) return { ...bounded, requestTimeout: 0, headersTimeout: 0 };
  const time = Math.ceil(requestTime * 1000);
  const headersTimeout = Math.ceil(time * HEADERS_PART);
  return {
    ...bounded,
    requestTimeout: time,
    headersTimeout,
    connectionsCheckingInterval: Math.min(CHECK_MS, Math.ceil(headersTimeout / CHECKS)),
  };
}

async function close(server: Server, agentServer: AgentServer, grace?: number): Promise<void> {
  const closed = server.listening ? once(server, "close") : undefined;
  server.close();
  await agentServer.close(grace);
  // Connections that still send or receive have exceeded the grace.
  server.closeAllConnections();
  await closed;
}
