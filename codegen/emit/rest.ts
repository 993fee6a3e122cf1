import openapiTS, { astToString } from "openapi-typescript";
import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";
import { emitOpenapi } from "./openapi.js";

/** `rest.ts`: the types of the HTTP+JSON binding, by path and operation, made from the OpenAPI document. */
export async function emitRest(spec: Spec): Promise<string> {
  const nodes = await openapiTS(emitOpenapi(spec), { silent: true });
  return `${banner(spec)}\n${astToString(nodes)}`;
}
