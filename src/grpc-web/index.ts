/**
 * Calls agents over gRPC-Web, from browsers and other platforms without HTTP/2 connections.
 *
 * @packageDocumentation
 */

export type { GrpcService } from "../versions/grpc-service.js";
export { grpcWeb } from "./grpc-web.js";
