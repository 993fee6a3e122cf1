import { missingGrpcPackage } from "../../../grpc/missing-packages.js";
import type { GrpcService } from "../../../versions/grpc-service.js";
import type { Fetch } from "../../exchange.js";
import type { GrpcConnectionOptions } from "./grpc-options.js";

/**
 * Creates the function that replaces `fetch` for a gRPC interface. This call, not the import of the module, loads the packages of gRPC.
 * @throws Error that says which packages to install, if one is missing
 */
export async function openGrpc(service: GrpcService, options: GrpcConnectionOptions): Promise<Fetch> {
  try {
    const [{ grpcFetch }, { nodeTransport }, { loadService }] = await Promise.all([
      import("./grpc-fetch.js"),
      import("./node-transport.js"),
      import("../../../grpc/service.js"),
    ]);
    return grpcFetch(await loadService(service), (base) => nodeTransport(base, options), options);
  } catch (error) {
    throw missingGrpcPackage(error);
  }
}
