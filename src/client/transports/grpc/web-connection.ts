import { ClientError } from "../../client-error.js";

/** Web platforms give programs no HTTP/2 connections, so the client skips gRPC interfaces. */
export function openGrpc(): Promise<never> {
  return Promise.reject(
    new ClientError("NO_INTERFACE", "This platform has no connections of HTTP/2 for gRPC"),
  );
}
