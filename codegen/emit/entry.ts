import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";

/** `index.ts`: what users import of a version, as `a2a-parley/v1.0`. */
export function emitEntry(spec: Spec): string {
  const { folder, title } = spec;
  return `${banner(spec)}
/**
 * ${title}, as generated from its schema: the types of all messages and enums, a guard and an assertion for each of them, the tables of
 * operations and errors, and the paths of the HTTP+JSON binding as types.
 *
 * @example
 * \`\`\`ts
 * import { assertMessage, isTask, type Message, operations, type paths } from "a2a-parley/${folder}";
 * \`\`\`
 *
 * @packageDocumentation
 */

export * from "./assertions.js";
export { type ErrorCode, type ErrorRow, errors } from "./errors.js";
export { requestGuards, responseGuards } from "./guards.js";
export * from "./models.js";
export { commonErrors, type HttpRoute, type Operation, type OperationName, type OperationTypes, operationErrors, operations, protocolVersion } from "./operations.js";
export type { Open, Received, UnrecognizedEnumValue } from "./received.js";
export type { components, paths } from "./rest.js";
export * from "./validators.js";
`;
}
