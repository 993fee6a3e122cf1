import { ClientError } from "../../client-error.js";

/**
 * Replaces the function of `node-connection.ts` on platforms that give programs no HTTP/2 connections, such as browsers. Always rejects
 * with ClientError NO_INTERFACE, so that the client skips the interface.
 */
export function openGrpc(): Promise<never> {
  return Promise.reject(
    new ClientError(
      "NO_INTERFACE",
      "This platform has no HTTP/2 connections for gRPC: use gRPC-Web, JSON-RPC or HTTP+JSON",
    ),
  );
}
