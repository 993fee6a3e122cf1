import {
  type EnumName,
  enums,
  type Field,
  type MessageName,
  memberTexts,
} from "../../generated/v1.0/fields.js";
import type { A2AHandler } from "../../generated/v1.0/handler.js";
import { type Operation, type OperationName, operations } from "../../generated/v1.0/operations.js";
import { readFields } from "./fields.js";

export { ClientStub } from "../../generated/v1.0/client.js";
export { enumFallbacks, errorFallbacks } from "../../generated/v1.0/fallbacks.js";
export type { A2AHandler } from "../../generated/v1.0/handler.js";
export type {
  Operation,
  OperationName,
  OperationTypes,
  StreamingOperationName,
  UnaryOperationName,
} from "../../generated/v1.0/operations.js";
export { operationErrors, operations, protocolVersion } from "../../generated/v1.0/operations.js";
export { stringFormats } from "../../generated/v1.0/string-formats.js";
export { errorFallbacks as draftFallbacks } from "../../generated/v1.1-draft/fallbacks.js";
export type { EnumName, Field, MessageName };
export { enums };

/** Name of a binding as cards write it (§5.8). */
export type BindingName = "JSONRPC" | "HTTP+JSON" | "GRPC";

/** How cards name gRPC-Web, which is a custom binding (§12.7): by the URI of its definition. */
export const GRPC_WEB = "https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md";

/** Name of an operation's method in {@link A2AHandler}. */
export type HandlerMethod = keyof A2AHandler;

const byName = new Map<string, Operation>(operations.map((row) => [row.name, row]));

/** A row of the operations table, by the operation's name. */
export function operation<Name extends OperationName>(name: Name): Operation<Name> {
  return byName.get(name) as Operation<Name>;
}

/** The handler method of an operation: `getTask` for `GetTask`. */
export function handlerMethod({ name }: Operation): HandlerMethod {
  return methodByName[name];
}

/** The handler method of each operation. Clients do not need it: the annotation lets bundlers leave it out. */
const methodByName = /* @__PURE__ */ methodNames();

function methodNames(): Record<OperationName, HandlerMethod> {
  const names = operations.map(({ name }) => [name, name.charAt(0).toLowerCase() + name.slice(1)]);
  return Object.fromEntries(names);
}

const messages = /* @__PURE__ */ readFields<MessageName, Field>(memberTexts, enums);

/** Members of a message, in schema order. */
export function fieldsOf(message: MessageName): readonly Field[] {
  return messages[message];
}
