import { operations, serviceName } from "../../../generated/v1.0/operations.js";
import type { Operation } from "../../protocol/operations.js";
import type { GrpcService } from "../grpc-service.js";

/** The gRPC service of protocol 1.0 (§10). Its methods have the names of the operations. */
export const service: GrpcService = {
  service: serviceName,
  methods: new Map<string, Operation>(operations.map((row) => [row.name, row])),
  descriptor: async () => (await import("../../../generated/v1.0/grpc.js")).fileDescriptor,
};
