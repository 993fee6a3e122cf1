import { missingPackage } from "../async/optional-package.js";

/** The packages that gRPC on Node needs, with the versions that package.json allows. Later ones of Connect need a newer Node. */
export const grpcPackages: Readonly<Record<string, string>> = {
  "@connectrpc/connect-node": "~2.1.2",
  "@connectrpc/connect": "~2.1.2",
  "@bufbuild/protobuf": "^2.7.0",
};

const install = Object.entries(grpcPackages)
  .map(([name, range]) => `${name}@${range}`)
  .join(" ");

/**
 * Replaces the error for a package of gRPC that is not installed by one that says how to install all of them. Any other error is returned
 * unchanged.
 * @param thrown what loading the packages threw
 */
export function missingGrpcPackage(thrown: unknown): unknown {
  return Object.keys(grpcPackages).reduce(
    (error, name) => missingPackage(error, name, 'The binding "GRPC"', install),
    thrown,
  );
}
