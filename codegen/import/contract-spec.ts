import { normalize } from "../normalize.js";
import type { Spec } from "../spec-model.js";
import type { Contract } from "./contract.js";

/**
 * The spec model of one version.
 * @param place what the names of its two documents have before them in messages
 * @throws SchemaError when codegen would not take the documents
 */
export function specOf(
  { schema, operations }: Contract,
  version: string,
  place = `schema/v${version}/`,
): Spec {
  const loaded = (name: string, content: unknown) => ({ file: place + name, content });
  const [spec] = normalize([
    {
      folder: `v${version}`,
      schema: loaded("a2a.schema.json", schema),
      operations: loaded("operations.json", operations),
    },
  ]);
  return spec as Spec;
}
