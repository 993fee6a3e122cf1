import { serviceName } from "../../../generated/v1.1-draft/operations.js";
import type { GrpcService } from "../grpc-service.js";
import { service as released } from "../v1.0/grpc.js";

/** The gRPC service of protocol 1.1-draft. It has the methods of the released version; some of their messages have more members. */
export const service: GrpcService = {
  service: serviceName,
  methods: released.methods,
  descriptor: async () => (await import("../../../generated/v1.1-draft/grpc.js")).fileDescriptor,
};
