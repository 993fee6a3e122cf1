import { runtime } from "#runtime";
import { toHex } from "../json/hex.js";
import { isJsonObject } from "../json/json-text.js";
import { sortedJson } from "../json/sorted-json.js";
import { isLonger } from "../protocol/byte-length.js";
import type { CallContext } from "../protocol/call-context.js";
import { invalidParams } from "../protocol/errors.js";
import { fieldsOf, type Operation, type OperationName, type OperationTypes } from "../protocol/operations.js";
import { unknownTenant } from "../protocol/unknown-tenant.js";
import type { NewId } from "../versions/codec.js";
import { checkBounds, checkLists } from "./bounds.js";
import type { ChosenRequest, OperationRequest } from "./operation-request.js";
import type { ServerCall } from "./server-call.js";

/** The request of any operation, in canonical form. */
export type Parameters = OperationTypes[OperationName]["request"];

/**
 * Decodes the JSON value of a request, checks its size, and sets the tenant and the metadata of the call from it.
 * @throws A2AError INVALID_PARAMS naming the first faulty member; for a tenant whose name is too long, the error of an unknown tenant
 */
export function decodeParameters(request: ChosenRequest, call: ServerCall): Parameters {
  const { agent, codec, operation } = request;
  const value = takeValue(request);
  checkBounds(value, agent.bounds);
  const parameters = codec.decodeRequest(
    operation.name,
    value,
    agent.idempotentSends ? repeatableIds(call) : undefined,
  );
  checkLists(parameters, agent.bounds);
  // An empty name means no tenant. If the path has a tenant, it has already replaced the tenant in the body.
  const tenant = parameters.tenant || call.tenant;
  checkTenant(tenant, request, parameters);
  call.tenant = tenant;
  if (codec.conventions.requestMetadata) call.metadata = metadataBeside(operation, value);
  return parameters;
}

/**
 * Removes the value from a request and returns it. A request lives as long as its stream, and would keep the value in memory so long.
 * A missing value and null are read as `{}`.
 * @throws A2AError INVALID_PARAMS for a value that is not an object
 */
function takeValue(request: OperationRequest): object {
  const value = request.value ?? {};
  request.value = undefined;
  if (!isJsonObject(value)) throw invalidParams("params", "must be an object");
  return value;
}

/** Creates ids that are the same in each repetition of a request with an idempotency key; undefined for a request without one. */
function repeatableIds({ idempotencyKey, principal }: ServerCall): NewId | undefined {
  if (idempotencyKey === undefined) return undefined;
  return (content) => toHex(runtime.sha256(sortedJson([principal.id, idempotencyKey, content]))).slice(0, 32);
}

/** @throws A2AError as for an unknown tenant when the name is longer than the limit `name` */
function checkTenant(tenant: string, request: ChosenRequest, parameters: Parameters): void {
  const { agent, codec, operation } = request;
  const bytes = agent.bounds?.name;
  if (bytes === undefined || !isLonger(tenant, bytes)) return;
  // In versions whose callers choose task ids, the task of a message may be new, so its id is not reported as unknown.
  const begins = codec.conventions.clientTaskIds && operation.request === "SendMessageRequest";
  throw unknownTenant(operation, begins ? {} : parameters, `must have at most ${bytes} bytes`);
}

/** The metadata of a request whose canonical form has no member for it. */
function metadataBeside(operation: Operation, value: object): CallContext["metadata"] {
  const { metadata } = value as { readonly metadata?: unknown };
  if (!isJsonObject(metadata)) return undefined;
  return fieldsOf(operation.request).some(({ name }) => name === "metadata") ? undefined : metadata;
}
