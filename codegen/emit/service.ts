import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";

/** `service.ts`: the name of the gRPC service, and the operations by the names of their methods, if these differ. */
export function emitService(spec: Spec): string {
  const { service = "", methods = [] } = spec.grpc ?? {};
  const rows = methods.map(({ name, operation }) => `  ${name}: ${JSON.stringify(operation)},\n`);
  return `${banner(spec)}
/** Full name of the gRPC service. */
export const serviceName = ${JSON.stringify(service)};

/** Operations by the name of their method in gRPC. */
export const methodOperations = {
${rows.join("")}} as const;
`;
}
