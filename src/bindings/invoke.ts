import type { CallContext } from "../call.js";
import { A2AError } from "../errors.js";
import type { StreamResponse } from "../model.js";
import { type HandlerMethod, handlerMethod, type Operation, type OperationTypes } from "../operations.js";
import type { Codec } from "../wire/codec.js";
import { type Arrival, lastValue } from "./arrival.js";
import { checkBounds } from "./bounds.js";
import { demandCapability } from "./capability.js";
import { EdgeCall } from "./edge-call.js";
import { activeExtensions, demandExtensions } from "./extensions.js";

/** A request that a binding has read: which operation of which version, with what. */
export interface Inquiry extends Arrival {
  readonly codec: Codec;
  readonly operation: Operation;
  /** The operation's request as a JSON value, members from the path included. */
  readonly value: unknown;
}

/** An answer that goes on. Its first event has come, so the call as such has not failed. */
export interface OpenedStream {
  readonly first: StreamResponse;
  readonly rest: AsyncIterator<StreamResponse>;
}

/**
 * Checks that need no parameters, in the order in which they decide: required extensions, then the capability.
 * @returns the extensions that are on
 * @throws A2AError EXTENSION_SUPPORT_REQUIRED, UNSUPPORTED_OPERATION or PUSH_NOTIFICATION_NOT_SUPPORTED
 */
export function admit(arrival: Arrival, operation: Operation): ReadonlySet<string> {
  const active = activeExtensions(arrival);
  demandExtensions(arrival.agent, operation, active);
  demandCapability(operation, arrival.agent.card);
  return active;
}

/**
 * Answers an operation that has one answer.
 * @returns the answer as a JSON value of the request's version; null when it is empty
 */
export async function invoke(inquiry: Inquiry, extensions: ReadonlySet<string>): Promise<unknown> {
  const response = (await call(inquiry, extensions)) as OperationTypes[keyof OperationTypes]["response"];
  return inquiry.codec.encodeResponse(inquiry.operation.name, response);
}

/**
 * Answers an operation that streams. Waits for the first event, so that a failure before it is an ordinary error
 * (OP-STREAM-10).
 */
export async function open(inquiry: Inquiry, extensions: ReadonlySet<string>): Promise<OpenedStream> {
  const events = call(inquiry, extensions) as AsyncIterable<StreamResponse>;
  const rest = events[Symbol.asyncIterator]();
  const { done, value } = await rest.next();
  if (!done) return { first: value, rest };
  throw new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause: new Error("The stream holds no event") });
}

type AnyMethod = (request: unknown, call: CallContext) => unknown;

/** Reads the parameters and hands them to the handler: a look-up in a table, whatever the operation. */
function call(
  { request, query, agent, codec, operation, value }: Inquiry,
  extensions: ReadonlySet<string>,
): unknown {
  checkBounds(value, agent.bounds);
  const parameters = codec.decodeRequest(operation.name, value);
  const handler = agent.handler as Record<HandlerMethod, AnyMethod>;
  return handler[handlerMethod(operation)](
    parameters,
    new EdgeCall(request, {
      // An empty tenant is none (TEN-10). The path has already taken the place of the body (TEN-04).
      tenant: parameters.tenant || lastValue(query, "tenant") || "",
      extensions,
      version: codec.version,
      logger: agent.logger,
      streaming: operation.streaming,
    }),
  );
}
