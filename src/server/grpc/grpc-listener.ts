import type { RequestListener } from "node:http";
import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerOptions,
} from "node:http2";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import type { AgentServer } from "../agent-server.js";
import type { Listener } from "../listener.js";
import { type GrpcExtras, GrpcHost } from "./grpc-host.js";
import { GrpcResponse } from "./grpc-response.js";

/** What the listener serves. */
interface GrpcListenerOptions extends GrpcExtras {
  /** Certificate and key; without them every connection is HTTP/2 without encryption. */
  readonly tls: TlsOptions | undefined;
  /** Answers what is not gRPC; without it such requests are refused. */
  readonly http: RequestListener | undefined;
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

/**
 * Creates the HTTP/2 server for gRPC, which does not listen yet. With TLS, a client that offers HTTP/1.1 gets HTTP/1.1, as from a server
 * without gRPC: browsers and HTTP clients offer it, gRPC clients offer only HTTP/2.
 */
export async function grpcListener(
  agentServer: AgentServer,
  options: GrpcListenerOptions,
): Promise<Listener> {
  const { tls, http } = options;
  const host = await GrpcHost.open(agentServer, agentServer.main, options);
  const { limits } = agentServer.settings;
  const rules: ServerOptions = {
    Http2ServerResponse: GrpcResponse as typeof Http2ServerResponse,
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
    if (http === undefined || GrpcHost.speaks(req)) host.handle(req, res);
    else http(req as never, res as never);
  };
  const server =
    tls === undefined
      ? createServer(rules, handle)
      : createSecureServer(
          { ...rules, ...tls, allowHTTP1: http !== undefined, ALPNCallback: protocolFor },
          handle,
        );
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

/** Chooses the protocol of a TLS connection among those that the client offers (ALPN): HTTP/1.1 before HTTP/2. */
function protocolFor({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return protocols.find((name) => name.startsWith("http/1")) ?? protocols.find((name) => name === "h2");
}
