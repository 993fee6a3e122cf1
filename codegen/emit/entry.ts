import type { Spec } from "../spec-model.js";
import { banner } from "./banner.js";

/** `index.ts`: the exports of a version, from `a2a-parley/v1.0` or from the folder of standalone code. */
export function emitEntry(spec: Spec): string {
  const { folder, title, origin } = spec;
  const from = origin === undefined ? `a2a-parley/${folder}` : "./index.js";
  // Standalone code includes handler and client. In the package only those of the newest version are used.
  const sides =
    origin === undefined
      ? ""
      : 'export { ClientStub } from "./client.js";\nexport type { A2AHandler } from "./handler.js";\n';
  return `${banner(spec)}
/**
 * ${title}, as generated from its schema: the types of all messages and enums, a guard and an assertion for each of them, the tables of
 * operations and errors, and the paths of the HTTP+JSON binding as types.
 *
 * @example
 * \`\`\`ts
 * import { assertMessage, isTask, type Message, operations, type paths } from "${from}";
 * \`\`\`
 *
 * @packageDocumentation
 */

export * from "./assertions.js";
${sides}export { type ErrorCode, type ErrorRow, errors } from "./errors.js";
export { requestGuards, responseGuards } from "./guards.js";
export * from "./models.js";
export { commonErrors, type HttpRoute, type Operation, type OperationName, type OperationTypes, operationErrors, operations, protocolVersion } from "./operations.js";
export type { Open, Received, UnrecognizedEnumValue } from "./received.js";
export type { components, paths } from "./rest.js";
export * from "./validators.js";
`;
}
