import { isJsonObject } from "../json/json-text.js";
import { isLonger } from "../protocol/byte-length.js";
import type { CallContext } from "../protocol/call-context.js";
import { invalidParams } from "../protocol/errors.js";
import { fieldsOf, type Operation, type OperationName, type OperationTypes } from "../protocol/operations.js";
import { unknownTenant } from "../protocol/unknown-tenant.js";
import { checkBounds, checkLists } from "./bounds.js";
import type { ChosenRequest, OperationRequest } from "./operation-request.js";
import type { ServerCall } from "./server-call.js";

/** The request of some operation, in canonical form. */
export type Parameters = OperationTypes[OperationName]["request"];

/**
 * Decodes the value of a request within bounds, and gives the call the tenant and the metadata that are in it.
 * @throws A2AError INVALID_PARAMS naming the first faulty member; the error of an unknown tenant for a name that is too long
 */
export function decodeParameters(request: ChosenRequest, call: ServerCall): Parameters {
  const { agent, codec, operation } = request;
  const value = takeValue(request);
  checkBounds(value, agent.bounds);
  const parameters = codec.decodeRequest(operation.name, value);
  checkLists(parameters, agent.bounds);
  // An empty tenant is none. That of the path has already taken the place of the one in the body.
  const tenant = parameters.tenant || call.tenant;
  checkTenant(tenant, request, parameters);
  call.tenant = tenant;
  if (codec.conventions.requestMetadata) call.metadata = metadataBeside(operation, value);
  return parameters;
}

/**
 * Takes the value out of a request, which keeps it no longer: a request lives as long as its stream, and what the codec leaves out
 * of the value would live as long. Nothing and null are an object without members.
 */
function takeValue(request: OperationRequest): object {
  const value = request.value ?? {};
  request.value = undefined;
  if (!isJsonObject(value)) throw invalidParams("params", "must be an object");
  return value;
}

/** @throws A2AError as for an unknown tenant when the name is longer than names may be */
function checkTenant(tenant: string, request: ChosenRequest, parameters: Parameters): void {
  const { agent, codec, operation } = request;
  const bytes = agent.bounds?.name;
  if (bytes === undefined || !isLonger(tenant, bytes)) return;
  // Where callers name tasks, the one that a message names need not be there.
  const begins = codec.conventions.clientTaskIds && operation.request === "SendMessageRequest";
  throw unknownTenant(operation, begins ? {} : parameters, `must have at most ${bytes} bytes`);
}

/** Metadata of a request that the model has no place for. */
function metadataBeside(operation: Operation, value: object): CallContext["metadata"] {
  const { metadata } = value as { readonly metadata?: unknown };
  if (!isJsonObject(metadata)) return undefined;
  return fieldsOf(operation.request).some(({ name }) => name === "metadata") ? undefined : metadata;
}
