import type { Interceptor, Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { connectByteLimit, type GrpcConnectionOptions } from "./grpc-options.js";
import { Http2Sessions } from "./http2-sessions.js";

/** Milliseconds without data before a PING during a call, for the answer to a PING, and without a call before a connection is closed. */
const PING = { pingIntervalMs: 20_000, pingTimeoutMs: 15_000, idleConnectionTimeoutMs: 60_000 };

/** Options of {@link nodeTransport}. */
interface NodeTransportOptions extends Pick<GrpcConnectionOptions, "tls" | "limit"> {
  /** The connection to use, instead of a new one with `tls`. */
  readonly sessions?: Http2Sessions;
  /** Interceptors of Connect for every call. */
  readonly interceptors?: Interceptor[];
}

/** Creates Connect's transport, which sends gRPC calls over an HTTP/2 connection. */
export function nodeTransport(
  baseUrl: string,
  { tls, limit, sessions, interceptors = [] }: NodeTransportOptions,
): Transport {
  const sessionManager = sessions ?? new Http2Sessions(baseUrl, PING, { ...tls });
  return createGrpcTransport({
    baseUrl,
    sessionManager,
    readMaxBytes: connectByteLimit(limit),
    interceptors,
  });
}
