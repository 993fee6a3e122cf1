import { isJsonObject } from "../../../json/json-text.js";
import { isLonger } from "../../../protocol/byte-length.js";
import { type A2AError, clientError, invalidParams } from "../../../protocol/errors.js";
import type { Operation } from "../../../protocol/operations.js";
import type { Codec } from "../../../versions/codec.js";
import { operationOfOldMethod } from "../../../versions/renamed-methods.js";
import { type Arrival, lastValue } from "../arrival.js";
import { EdgeCall } from "../edge-call.js";
import { chooseCodec, namesVersion } from "../version.js";

/** `id` of a request. */
export type RequestId = string | number | null;

/** Longest `id` of a request, in bytes of UTF-8: every frame of a stream repeats it. */
const MAX_ID_BYTES = 256;

/** A request object, of which only these members count. */
interface Envelope {
  readonly jsonrpc: unknown;
  readonly id: unknown;
  readonly method: unknown;
  params: unknown;
}

/** What a JSON-RPC request asks for. */
export interface Call {
  readonly method: string;
  /** Judged only when the method is known; undefined once {@link takeParams} has read them. */
  params: unknown;
}

/**
 * The request object in a body. Members that JSON-RPC does not define are dropped.
 * @throws A2AError INVALID_REQUEST when the body is a batch or no object
 */
export function openEnvelope(value: unknown): Envelope {
  if (Array.isArray(value)) throw invalidRequest("batches are not supported, send one request object");
  if (!isJsonObject(value)) throw invalidRequest("the body must be a JSON-RPC request object");
  const { jsonrpc, id, method, params } = value;
  return { jsonrpc, id, method, params };
}

/**
 * The id of a request; null for one that has none, which is answered all the same.
 * @throws A2AError INVALID_REQUEST when it is of another kind, or longer than 256 bytes
 */
export function readId({ id = null }: Envelope): RequestId {
  if (typeof id === "string" && !isLonger(id, MAX_ID_BYTES)) return id;
  // However long its digits are in the body, a number is written with 23 characters at most.
  if (id === null || Number.isInteger(id)) return id as RequestId;
  throw invalidRequest(`id must be a string of at most ${MAX_ID_BYTES} bytes, a whole number or null`);
}

/**
 * The call in a request object.
 * @throws A2AError INVALID_REQUEST
 */
export function readCall(envelope: Envelope): Call {
  const { jsonrpc, method } = envelope;
  if (jsonrpc !== "2.0") throw invalidRequest('jsonrpc must be "2.0"');
  if (typeof method !== "string") throw invalidRequest("method must be a string");
  return envelope as Call;
}

/**
 * Takes the parameters out of a call, which keeps them no longer; absent ones and null are an empty object.
 * @throws A2AError INVALID_PARAMS for the positional form and scalars (RPC-14)
 */
export function takeParams(call: Call): object {
  const given = call.params ?? {};
  call.params = undefined;
  if (!isJsonObject(given)) throw invalidParams("params", "must be an object");
  return given;
}

/** How a call is to be read. */
export interface Choice {
  readonly codec: Codec;
  readonly operation: Operation;
  /** The call says nothing of its version: it is taken for one of the version in which its task was begun. */
  readonly versionFromTask: boolean;
}

/**
 * The version that a call is made in as far as the call itself tells, and the operation that its method stands for there.
 * @throws A2AError VERSION_NOT_SUPPORTED, METHOD_NOT_FOUND
 */
export function chooseMethod(arrival: Arrival, { method }: Call): Choice {
  const codec = chooseCodec(arrival, ({ methods }) => methods.has(method));
  const operation = codec.methods.get(method);
  if (operation === undefined) throw clientError("METHOD_NOT_FOUND", methodAdvice(method, codec));
  return { codec, operation, versionFromTask: false };
}

/**
 * The choice for a call that names no version, of a method that several have: the version in which its task was begun. Asked for
 * once the caller is known, because it depends on tasks, and nobody may learn of the tasks of others.
 * @param codec of the version that was chosen without that
 * @returns undefined when nothing else is to be chosen
 */
export function chooseByTask(
  arrival: Arrival,
  call: Call,
  codec: Codec,
): Promise<Choice | undefined> | undefined {
  const { taskVersions: births, bounds, logger } = arrival.agent;
  if (births === undefined || !couldBeSeveral(arrival, call)) return undefined;
  const { version, conventions } = codec;
  const tenant = lastValue(arrival.query, "tenant") ?? "";
  // There is nothing in a tenant whose name is too long, which is refused once the call has been read.
  if (bounds !== undefined && isLonger(tenant, bounds.name)) return undefined;
  const caller = new EdgeCall(arrival.request, {
    ...{ tenant, extensions: new Set(), version, conventions, logger, streaming: false, metadata: undefined },
  });
  return births.find(taskOf(call), caller).then((found) => choiceOf(arrival, call, found));
}

/** Whether a call could be one of several versions, and does not say of which. */
function couldBeSeveral(arrival: Arrival, { method, params }: Call): boolean {
  const { taskVersions: births, codecs } = arrival.agent;
  if (births === undefined || !isJsonObject(params) || namesVersion(arrival)) return false;
  const speakers = [...codecs.values()].filter(({ methods }) => methods.has(method));
  return speakers.length > 1 || speakers[0]?.dialectByTask === true;
}

function taskOf({ params }: Call): unknown {
  return isJsonObject(params) ? (params.id ?? params.taskId ?? params.task_id) : undefined;
}

function choiceOf({ agent }: Arrival, { method }: Call, version: string | undefined): Choice | undefined {
  const codec = version === undefined ? undefined : agent.codecs.get(version);
  const operation = codec?.methods.get(method);
  return codec && operation && { codec, operation, versionFromTask: true };
}

/** Callers that moved up a version and kept their old method names are told the new one (VER-13). */
function methodAdvice(method: string, { methods, version }: Codec): string | undefined {
  const meant = operationOfOldMethod(method);
  for (const [current, { name }] of methods) {
    if (name === meant) return `Method not found: version ${version} calls it ${current}`;
  }
  return undefined;
}

function invalidRequest(fault: string): A2AError {
  return clientError("INVALID_REQUEST", `Invalid request: ${fault}`);
}
