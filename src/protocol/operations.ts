import { type EnumName, type Field, type MessageName, messages } from "../../generated/v1.0/fields.js";
import type { A2AHandler } from "../../generated/v1.0/handler.js";
import { type Operation, type OperationName, operations } from "../../generated/v1.0/operations.js";
import { A2AError } from "./errors.js";

export { ClientStub } from "../../generated/v1.0/client.js";
export { errors } from "../../generated/v1.0/errors.js";
export { enumFallbacks, errorFallbacks } from "../../generated/v1.0/fallbacks.js";
export { enums } from "../../generated/v1.0/fields.js";
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
export type { EnumName, Field, MessageName };

/** Name of a binding as cards write it (§5.8). */
export type BindingName = "JSONRPC" | "HTTP+JSON" | "GRPC";

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

const methodByName = Object.fromEntries(
  operations.map(({ name }) => [name, name.charAt(0).toLowerCase() + name.slice(1)]),
) as Record<OperationName, HandlerMethod>;

/** Members of a message, in schema order. */
export function fieldsOf(message: MessageName): readonly Field[] {
  return messages[message];
}

async function refuse(): Promise<never> {
  throw new A2AError("UNSUPPORTED_OPERATION");
}

async function* refuseStream(): AsyncGenerator<never> {
  yield await refuse();
}

type HandlerClass = new <Call = unknown>() => A2AHandler<Call>;

function refusingHandler(): HandlerClass {
  class RefusingHandler {}
  const methods = operations.map((row) => [handlerMethod(row), row.streaming ? refuseStream : refuse]);
  Object.assign(RefusingHandler.prototype, Object.fromEntries(methods));
  return RefusingHandler as HandlerClass;
}

/**
 * Refuses every operation with `UNSUPPORTED_OPERATION`; extend it to implement some of them. A stream is refused when
 * it is first read.
 *
 * @example
 * ```ts
 * class Reader extends UnimplementedHandler<CallContext> {
 *   override async getTask({ id }: GetTaskRequest): Promise<Task> {
 *     return await tasks.read(id);
 *   }
 * }
 * ```
 */
export const UnimplementedHandler: HandlerClass = /* @__PURE__ */ refusingHandler();
