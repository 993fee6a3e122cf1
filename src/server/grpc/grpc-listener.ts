import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import {
  constants,
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerOptions,
} from "node:http2";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { timeoutOf } from "../../async/clock.js";
import type { AgentServer } from "../agent-server.js";
import { callerAddress } from "../forwarded.js";
import type { Listener } from "../listener.js";
import { connectionRules } from "../node/connection-rules.js";
import { MAX_HEADER_FIELDS } from "../router.js";
import type { ServerSettings } from "../settings.js";
import { type GrpcExtras, GrpcHost } from "./grpc-host.js";
import { StalledStreams } from "./stalled-streams.js";

/** Options of the gRPC listener. */
interface GrpcListenerOptions {
  /** Certificate and key; without them every connection is HTTP/2 without encryption. */
  readonly tls: TlsOptions | undefined;
  /** Answers requests that are not gRPC; without it they are refused. */
  readonly http: RequestListener | undefined;
}

/** The imported gRPC services of a server. */
export interface OpenGrpc {
  /** Creates the HTTP/2 server for gRPC, which does not listen yet. */
  listener(options: GrpcListenerOptions): Listener;
  /** Extends a request listener with gRPC-Web and Connect, if they are served. Each agent has them below its path. */
  withWeb(http: RequestListener): RequestListener;
}

/** Maximum number of open streams on a connection. A client that needs more opens another connection. */
const STREAMS = 100;
/** Number of invalid frames after which a connection is closed. */
const INVALID_FRAMES = 100;
/** Maximum number of PINGs of this server that a client has not answered. */
const PINGS = 4;
/** Maximum number of entries in a SETTINGS frame. */
const SETTINGS = 16;
/** Milliseconds without activity after which a connection takes no new streams, and closes when the last one has ended. */
const IDLE_MS = 300_000;

/** Imports the gRPC services of a server. */
export async function loadGrpcServices(agentServer: AgentServer, extras: GrpcExtras): Promise<OpenGrpc> {
  const { main, mounts } = agentServer;
  const host = await GrpcHost.open(agentServer, main, extras);
  const others = extras.web ? mounts.filter((mount) => mount !== main) : [];
  const alone = { ...extras, health: false, reflection: false };
  const hosts = [
    host,
    ...(await Promise.all(others.map((mount) => GrpcHost.open(agentServer, mount, alone)))),
  ];
  return {
    listener: (options) => listenerOf(agentServer, host, { ...options, web: extras.web ? hosts : [] }),
    withWeb: (http) => (extras.web ? (req, res) => answerWeb(hosts, req, res) || http(req, res) : http),
  };
}

/** @returns whether the request is one of gRPC-Web or Connect */
function answerWeb(hosts: readonly GrpcHost[], req: IncomingMessage, res: ServerResponse): boolean {
  const host = hosts.find((one) => one.has(req.url ?? ""));
  host?.handleWeb(req, res);
  return host !== undefined;
}

/**
 * The HTTP/2 server for gRPC. With TLS and HTTP on the same port, a client that offers HTTP/1.1 gets HTTP/1.1, as from a server without
 * gRPC: browsers and HTTP clients offer it, gRPC clients offer only HTTP/2.
 */
function listenerOf(
  agentServer: AgentServer,
  host: GrpcHost,
  { tls, http, web }: GrpcListenerOptions & { readonly web: readonly GrpcHost[] },
): Listener {
  const { settings } = agentServer;
  const { limits } = settings;
  const stalled = new StalledStreams(agentServer);
  const rules: ServerOptions = {
    maxSessionInvalidFrames: INVALID_FRAMES,
    maxOutstandingPings: PINGS,
    maxSettings: SETTINGS,
    settings: {
      maxConcurrentStreams: STREAMS,
      maxHeaderListSize: Math.min(limits.headers, 0xffffffff),
      enablePush: false,
    },
  };
  const handle = (req: Http2ServerRequest, res: Http2ServerResponse): void => {
    if (http === undefined || (isHttp2(req) && GrpcHost.speaks(req))) host.handle(req, res);
    else {
      // Calls of gRPC-Web and Connect limit their own times.
      if (isHttp2(req) && !web.some((one) => one.has(req.url))) limitTimes(req, settings, stalled);
      http(req as never, res as never);
    }
  };
  const server =
    tls === undefined
      ? createServer(rules, handle)
      : createSecureServer(
          { ...rules, ...tls, allowHTTP1: http !== undefined, ALPNCallback: http ? either : onlyHttp2 },
          handle,
        );
  // For HTTP/1.1 on this port. Node reads these rules from the server, and not from its options as it does without HTTP/2.
  if (http !== undefined)
    Object.assign(server, connectionRules(limits), { maxHeadersCount: MAX_HEADER_FIELDS + 1 });
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.setTimeout(IDLE_MS, () => session.close());
  });
  // Without a listener an error of a connection would end the process.
  server.on("sessionError", (err) => agentServer.settings.logger.debug({ err }, "A connection failed"));
  return {
    server,
    stop: () => {
      server.close();
      for (const session of sessions) session.close();
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Applies to a request of HTTP over HTTP/2 what Node's HTTP server, and the watch on readers of a connection, do for HTTP/1.1 only: cuts
 * one that does not arrive within `limits.requestTime`, and one whose reader takes nothing.
 */
function limitTimes(
  req: Http2ServerRequest,
  { limits: { requestTime }, trustProxy }: ServerSettings,
  stalled: StalledStreams,
): void {
  const { stream, headers, socket } = req;
  const cut = () => stream.close(constants.NGHTTP2_CANCEL);
  const late = Number.isFinite(requestTime)
    ? setTimeout(() => req.readableEnded || cut(), timeoutOf(requestTime * 1000))
    : undefined;
  const arrived = () => clearTimeout(late);
  req.once("end", arrived);
  stream.once("close", arrived);
  stalled.watch(stream, callerAddress(headers, socket?.remoteAddress, trustProxy));
}

/** Whether a request has come over HTTP/2. */
function isHttp2(req: Http2ServerRequest): boolean {
  return "stream" in req;
}

/** The protocols that a client of TLS offers (ALPN). */
interface Offer {
  readonly protocols: readonly string[];
}

/** Chooses HTTP/1.1 before HTTP/2. */
function either({ protocols }: Offer): string | undefined {
  return protocols.find((name) => name.startsWith("http/1")) ?? onlyHttp2({ protocols });
}

function onlyHttp2({ protocols }: Offer): string | undefined {
  return protocols.find((name) => name === "h2");
}
