/**
 * Calling agents over gRPC-Web, from browsers and other platforms without connections of HTTP/2.
 *
 * @packageDocumentation
 */

export type { GrpcService } from "../versions/grpc-service.js";
export { grpcWeb } from "./grpc-web.js";
