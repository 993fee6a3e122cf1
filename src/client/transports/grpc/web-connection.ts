import { ClientError } from "../../client-error.js";

/** The platform has no connections of HTTP/2 that a program can use: interfaces of gRPC are passed over. */
export function openGrpc(): Promise<never> {
  return Promise.reject(new ClientError("NO_INTERFACE", "This platform cannot call agents over gRPC"));
}
