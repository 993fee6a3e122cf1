import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { TlsOptions } from "node:tls";
import { everyStep } from "../../async/every-step.js";
import { missingGrpcPackage } from "../../grpc/missing-packages.js";
import { unknownName } from "../../json/unknown-name.js";
import { isLoopback, parseUrl } from "../../net/url.js";
import { assertObject } from "../../protocol/argument.js";
import { AgentServer, type Agents } from "../agent-server.js";
import { hostOf } from "../forwarded.js";
import type { OpenGrpc } from "../grpc/grpc-listener.js";
import type { Listener } from "../listener.js";
import { connectionRules } from "../node/connection-rules.js";
import { optionRows } from "../resolve-options.js";
import { MAX_HEADER_FIELDS } from "../router.js";
import type { ServerOptions } from "../settings.js";
import { Connections } from "./connections.js";
import { type AgentApp, appOf } from "./create-app.js";

/** Options of {@link serve}. */
export interface ServeOptions extends ServerOptions {
  /** Port; any free one by default. */
  readonly port?: number | undefined;
  /** Address to listen on; only this machine by default. */
  readonly host?: string | undefined;
  /**
   * Where gRPC is served, when `bindings` names it.
   * @example `serve(agent, { bindings: ["JSONRPC", "HTTP+JSON", "GRPC"], grpc: { port: 50051 } })`
   */
  readonly grpc?: GrpcOptions | undefined;
  /**
   * Mounts the inspector at `/inspector`: a development page that shows the agents at work, to browsers on this machine. Off by default.
   * @example `serve(agent, { port: 4000, inspector: true })`
   */
  readonly inspector?: boolean | undefined;
}

/** Where and how gRPC is served. Without `port` and with `tls` it shares the port of HTTP, which then has TLS as well. */
export interface GrpcOptions {
  /** Port for gRPC only. By default any free one, or with `tls` the port of HTTP. */
  readonly port?: number | undefined;
  /** Address to listen on; that of HTTP by default, and the only one allowed on a shared port. */
  readonly host?: string | undefined;
  /** Certificate and key, as `node:tls` takes them. Without them gRPC is HTTP/2 without encryption. */
  readonly tls?: TlsOptions | undefined;
  /** Serves health checks (`grpc.health.v1`), also to callers without credentials. Off by default. */
  readonly health?: boolean | undefined;
  /** Serves reflection (`grpc.reflection.v1` and `v1alpha`), also to callers without credentials. Off by default. */
  readonly reflection?: boolean | undefined;
  /**
   * Also answers gRPC-Web, for browsers, and the protocol of Connect: on the port of gRPC, and on that of HTTP below the path of each
   * agent. Off by default.
   */
  readonly web?: boolean | undefined;
  /** `host:port` at which callers reach it, as cards show it; by default the host of `publicUrl`, or of HTTP, and the port. */
  readonly address?: string | undefined;
}

/** A server that is listening. */
export interface RunningServer {
  /** URL of the server without a trailing slash: `publicUrl`, or else where it listens, with `localhost` if that is all interfaces. */
  readonly url: string;
  readonly port: number;
  /** `host:port` of gRPC, as cards show it; undefined when it is not served. */
  readonly grpcAddress: string | undefined;
  readonly app: AgentApp;
  /**
   * Stops listening, ends open streams cleanly, waits for pending responses, stops the executors, sends pending webhooks, and closes every
   * connection. It returns at most a second after the grace.
   * @param grace seconds for responses and webhooks together; 10 by default
   */
  close(grace?: number): Promise<void>;
}

/**
 * Maximum number of connections that wait to be accepted, if the operating system allows so many. With Node's default of 511, some of
 * many callers that reconnect at once are dropped, and their systems retry only after seconds, up to fifteen.
 */
const BACKLOG = 4096;

/** Addresses that mean every network interface. They cannot be used in a URL. */
const WILDCARDS = ["0.0.0.0", "::"];

/**
 * Serves one agent, or several by path: `serve({ "/research": a, "/writer": b })`.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @throws Error with `code` `"EADDRINUSE"` when the port is in use; other errors of Node when it cannot listen; Error when the packages for
 *   gRPC are not installed
 * @example
 * ```ts
 * const server = await serve(agent, { port: 4000 });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serve(agents: Agents, options: ServeOptions = {}): Promise<RunningServer> {
  assertObject(options, "serve needs options, such as { port: 4000 }, or none");
  const { port = 0, host = "127.0.0.1", grpc = {}, inspector = false, ...rest } = options;
  const unknown =
    unknownName(options, { ...optionRows, port: true, host: true, grpc: true, inspector: true }) ??
    unknownName(
      grpc,
      { port: true, host: true, tls: true, health: true, reflection: true, web: true, address: true },
      "grpc",
    );
  if (unknown !== undefined) throw new TypeError(unknown);
  if (inspector && !isThisMachine(host))
    throw new TypeError(`inspector: is for this machine only, and host: "${host}" is for others as well`);
  const agentServer = new AgentServer(agents, rest);
  const { settings } = agentServer;
  const hasGrpc = settings.bindings.includes("GRPC");
  if (options.grpc !== undefined && !hasGrpc) throw new TypeError('grpc: name "GRPC" in bindings as well');
  const isShared = hasGrpc && grpc.tls !== undefined && grpc.port === undefined;
  if (isShared && grpc.host !== undefined && grpc.host !== host) {
    const reason = `gRPC with TLS shares the port of HTTP, which is on "${host}"`;
    throw new TypeError(`grpc.host: ${reason}. Set grpc.port for a port of its own, or leave grpc.host out`);
  }
  const app = appOf(agentServer);
  let local = "";
  const listeners: Listener[] = [];
  try {
    await agentServer.loading;
    const callback = inspector ? await inspected(agentServer, app, () => local) : app.callback();
    const opened = hasGrpc ? await loadGrpc(agentServer, grpc) : undefined;
    const answer = opened?.withWeb(callback) ?? callback;
    const grpcListener = opened?.listener({ tls: grpc.tls, http: isShared ? answer : undefined });
    const main = isShared && grpcListener !== undefined ? grpcListener : httpListener(agentServer, answer);
    const connections = connectionsOf(agentServer);
    const [address, bound] = await listen(main, port, host);
    listeners.push(main);
    connections.watch(main.server);
    const isEverywhere = WILDCARDS.includes(address);
    const name = isEverywhere ? "localhost" : address;
    local = `${isShared ? "https" : "http"}://${hostOf(name, bound)}`;
    let grpcPort = bound;
    if (grpcListener !== undefined && !isShared) {
      [, grpcPort] = await listen(grpcListener, grpc.port ?? 0, grpc.host ?? host);
      listeners.push(grpcListener);
      connections.watch(grpcListener.server);
    }
    const { hostname = name, port: shown = "" } = parseUrl(settings.publicUrl ?? "") ?? {};
    const publicPort = isShared && shown !== "" ? Number(shown) : grpcPort;
    const grpcAddress = hasGrpc
      ? (grpc.address ?? hostOf(hostname.replace(/[[\]]/g, ""), publicPort))
      : undefined;
    if (grpcAddress !== undefined) agentServer.listenForGrpc(grpcAddress, grpc.web ?? false);
    agentServer.settleAt(isEverywhere ? undefined : local);
    await Promise.all(agentServer.mounts.map(({ ready }) => ready));
    if (agentServer.address !== undefined) await agentServer.prepare(agentServer.address);
    return {
      url: agentServer.address ?? local,
      port: bound,
      grpcAddress,
      app,
      close: (grace) => close(listeners, agentServer, grace),
    };
  } catch (error) {
    await close(listeners, agentServer, 0);
    throw error;
  }
}

/** Whether an address to listen on can be reached from this machine only. */
function isThisMachine(host: string): boolean {
  return isLoopback(host) || host === "::1";
}

/**
 * The listener of an app with the inspector. Only this function loads the code of the inspector.
 * @param local URL that the server listens on
 */
async function inspected(
  agentServer: AgentServer,
  app: AgentApp,
  local: () => string,
): Promise<RequestListener> {
  const { INSPECTOR_PATH, mountInspector } = await import("../../inspector/mounted.js");
  const taken = agentServer.mounts.find(({ prefix }) => `${prefix}/`.startsWith(`${INSPECTOR_PATH}/`));
  if (taken !== undefined)
    throw new TypeError(
      `inspector: ${taken.prefix} is the path of an agent, and ${INSPECTOR_PATH} that of the inspector`,
    );
  const agents = () =>
    agentServer.mounts.map(({ served, prefix }) => ({ name: served.card.name, path: prefix || "/" }));
  const url = () => agentServer.address ?? local();
  return mountInspector({ app: app.callback(), agents: () => ({ url: url(), agents: agents() }) });
}

function httpListener({ settings }: AgentServer, answer: RequestListener): Listener {
  const server = createServer(connectionRules(settings.limits), answer);
  // One more than a request may have, to detect a request that has too many.
  server.maxHeadersCount = MAX_HEADER_FIELDS + 1;
  return {
    server,
    stop: () => server.close(),
    cut: () => server.closeAllConnections(),
  };
}

/** Loads the services of gRPC. Only this function loads its packages. */
async function loadGrpc(
  agentServer: AgentServer,
  { health = false, reflection = false, web = false }: GrpcOptions,
): Promise<OpenGrpc> {
  try {
    const { loadGrpcServices } = await import("../grpc/grpc-listener.js");
    return await loadGrpcServices(agentServer, { health, reflection, web });
  } catch (error) {
    throw missingGrpcPackage(error);
  }
}

function connectionsOf(agentServer: AgentServer): Connections {
  const { limits, logger } = agentServer.settings;
  const bounds = { total: limits.connections, each: limits.connectionsPerAddress };
  const connections = new Connections(bounds, logger);
  agentServer.connections = connections;
  return connections;
}

/** @returns the address and the port that the server listens on */
async function listen({ server }: Listener, port: number, host: string): Promise<[string, number]> {
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, "listening").catch((error: unknown) => {
    throw portFault(error, port);
  });
  const { address, port: bound } = server.address() as AddressInfo;
  return [address, bound];
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

async function close(
  listeners: readonly Listener[],
  agentServer: AgentServer,
  grace?: number,
): Promise<void> {
  const closed = listeners.map(({ server }) => once(server, "close"));
  await everyStep([
    ...listeners.map(({ stop }) => stop),
    () => agentServer.close(grace),
    // Connections that still send or receive have exceeded the grace.
    ...listeners.map(({ cut }) => cut),
    () => Promise.all(closed),
  ]);
}
