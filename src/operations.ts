import type { Field, MessageName } from "../generated/v1.0/fields.js";
import { messages } from "../generated/v1.0/fields.js";
import type { A2AHandler } from "../generated/v1.0/handler.js";
import type { Operation, OperationName } from "../generated/v1.0/operations.js";
import { operations } from "../generated/v1.0/operations.js";

export { ClientStub } from "../generated/v1.0/client.js";
export { errors, standIns as errorStandIns } from "../generated/v1.0/errors.js";
export { standIns as enumStandIns } from "../generated/v1.0/fields.js";
export type { A2AHandler } from "../generated/v1.0/handler.js";
export { UnimplementedHandler } from "../generated/v1.0/handler.js";
export type {
  HttpRoute,
  Operation,
  OperationName,
  OperationTypes,
  StreamingOperationName,
  UnaryOperationName,
} from "../generated/v1.0/operations.js";
export { operations, protocolVersion } from "../generated/v1.0/operations.js";
export type { Field, MessageName };

/** Name of an operation's method in {@link A2AHandler}. */
export type HandlerMethod = keyof A2AHandler;

const byName = new Map<string, Operation>(operations.map((row) => [row.name, row]));

/** Row of the operations table by its name. */
export function operation<Name extends OperationName>(name: Name): Operation<Name> {
  return byName.get(name) as Operation<Name>;
}

/** Name of the handler's method for an operation: `GetTask` is answered by `getTask`. */
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
