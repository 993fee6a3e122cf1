import { ClientError } from "../../client-error.js";

/** Rejects, so that the client skips gRPC interfaces: web platforms give programs no HTTP/2 connections. gRPC-Web needs none. */
export function openGrpc(): Promise<never> {
  return Promise.reject(
    new ClientError(
      "NO_INTERFACE",
      "This platform has no HTTP/2 connections for gRPC: use gRPC-Web, JSON-RPC or HTTP+JSON",
    ),
  );
}
