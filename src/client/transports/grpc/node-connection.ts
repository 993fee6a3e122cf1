import { missingPackage } from "../../../async/optional-package.js";
import type { GrpcService } from "../../../versions/grpc-service.js";
import type { Fetch } from "../../exchange.js";
import type { GrpcConnectionOptions } from "./grpc-options.js";

/** Packages without which gRPC cannot be called. */
const PACKAGES = ["@bufbuild/protobuf", "@connectrpc/connect", "@connectrpc/connect-node"];

/**
 * Makes a function that takes the place of `fetch` for an interface of gRPC. The packages are loaded here and nowhere else.
 * @throws Error that says what to install
 */
export async function openGrpc(service: GrpcService, options: GrpcConnectionOptions): Promise<Fetch> {
  try {
    const [{ grpcFetch }, { loadService }] = await Promise.all([
      import("./grpc-fetch.js"),
      import("../../../grpc/service.js"),
    ]);
    return grpcFetch(await loadService(service), options);
  } catch (error) {
    throw PACKAGES.reduce((thrown, name) => missingPackage(thrown, name, 'The binding "GRPC"'), error);
  }
}
