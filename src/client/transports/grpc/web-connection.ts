import { ClientError } from "../../client-error.js";

/** Rejects, so that the client skips gRPC interfaces, on platforms that give programs no HTTP/2 connections, such as browsers. */
export function openGrpc(): Promise<never> {
  return Promise.reject(
    new ClientError(
      "NO_INTERFACE",
      "This platform has no HTTP/2 connections for gRPC: use gRPC-Web, JSON-RPC or HTTP+JSON",
    ),
  );
}
