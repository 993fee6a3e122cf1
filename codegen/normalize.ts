import type { LoadedVersion } from "./load.js";
import { readGrpc } from "./normalize/grpc.js";
import { readOperations } from "./normalize/operations.js";
import { readSchema } from "./normalize/schema.js";
import { type Problem, rootPlace, SchemaError } from "./problems.js";
import type { Spec } from "./spec-model.js";

/**
 * Converts the documents of each version to its spec model. Everything that the emitters would not understand is a problem.
 * @throws SchemaError with every problem of every version: file, pointer and reason
 */
export function normalize(versions: readonly LoadedVersion[]): Spec[] {
  const problems: Problem[] = [];
  const specs = versions.map((version) => normalizeVersion(version, problems));
  if (problems.length > 0) throw new SchemaError(problems);
  return specs;
}

function normalizeVersion({ folder, schema, operations, grpc }: LoadedVersion, problems: Problem[]): Spec {
  const { names, ...facts } = readSchema(schema, problems);
  const { protocolVersion, ...table } = readOperations(operations, { ...facts, names }, problems);
  if (`v${facts.protocolVersion}` !== folder) {
    rootPlace(schema.file, problems)
      .at("x-protocol-version")
      .report(`is "${facts.protocolVersion}" in folder ${folder}`);
  }
  if (`v${protocolVersion}` !== folder) {
    rootPlace(operations.file, problems)
      .at("protocolVersion")
      .report(`is "${protocolVersion}" in folder ${folder}`);
  }
  return { folder, ...facts, ...table, ...(grpc && { grpc: readGrpc(grpc, problems) }), guarded: names };
}
