import { violationOf } from "../json/violation.js";
import { type A2AError, clientError, invalidParams } from "../protocol/errors.js";
import type { ValidationError, Validator } from "../protocol/model.js";
import type { ProtoJsonReader } from "./proto-json.js";

/** How the request of an operation is validated in one protocol version. */
export interface RequestRow<Request extends object = object> {
  readonly isRequest: Validator<Request>;
  /** Name of its type. */
  readonly request: string;
}

/** Combines the tables of operations and guards of a version, by name of the operation. */
export function requestRows<Name extends string>(
  operations: readonly { readonly name: Name; readonly request: string }[],
  guards: Readonly<Record<Name, Validator<object>>>,
): ReadonlyMap<string, RequestRow> {
  return new Map(operations.map(({ name, request }) => [name, { isRequest: guards[name], request }]));
}

/**
 * Reads a request of a version. A canonical request costs one run of its validator and is returned unchanged. Any other request is read
 * leniently and validated again.
 * @throws A2AError INVALID_PARAMS that names the first invalid member by its name in that version
 */
export function readRequest(
  { isRequest, request }: RequestRow,
  value: unknown,
  read: ProtoJsonReader,
): object {
  if (isRequest(value)) return value;
  const rebuilt = read(request, value);
  if (isRequest(rebuilt)) return rebuilt;
  throw refusal(isRequest.errors);
}

/** The error INVALID_PARAMS for the first error of a validator. */
export function refusal(errors: readonly ValidationError[] | null | undefined): A2AError {
  const { field, description } = violationOf(errors);
  if (field !== "") return invalidParams(field, description);
  return clientError("INVALID_PARAMS", `Invalid parameters: the parameters ${description}`, {
    violations: [{ field, description }],
  });
}
