import type { Received, StreamResponse } from "../protocol/model.js";
import { type OperationName, type OperationTypes, operation } from "../protocol/operations.js";
import type { RemoteErrorCode } from "../versions/received-error.js";
import { ContractFault } from "../versions/version.js";
import type { Channel } from "./channel.js";
import { checkJsonLimits } from "./check-json-limits.js";
import type { Address, LoadedBinding } from "./choose-interfaces.js";
import { ClientError, displayUrl, kindAt } from "./client-error.js";
import { isUnknownRoute } from "./connection-error.js";
import { Deadline } from "./deadline.js";
import { discard, hasEventStream, type Incoming, receive } from "./exchange.js";
import { ExpectedIds } from "./expected-ids.js";
import type { ClientSettings } from "./options.js";
import { type ReadEvent, readEvents } from "./read-stream.js";
import { RemoteError, remoteError } from "./remote-error.js";
import { type HeaderFields, mergeHeaders, setServiceParameters } from "./service-parameters.js";
import { noValidAnswer } from "./transports/foreign-answer.js";
import type { HttpCall, WireRequest } from "./transports/transport.js";
import { loadTransport } from "./transports/transports.js";

/** One attempt at a call: the operation, the interface and the request. */
export interface Attempt<Name extends OperationName = OperationName> extends LoadedBinding {
  readonly operation: Name;
  readonly request: OperationTypes[Name]["request"];
  /** Context of the task, if an earlier connection of the stream has named it. */
  readonly contextId?: string | undefined;
  readonly address: Address;
  readonly headers: HeaderFields;
  readonly extensions: ReadonlySet<string>;
  readonly id: number;
  readonly channel: Channel;
  readonly settings: ClientSettings;
  /** Time limits of this attempt. An attempt that opens a stream passes them to the stream. */
  readonly deadline: Deadline;
  /** Called when the credentials are available, before the request is sent. */
  readonly onReady: () => void;
  /** Called when the agent has refused the credentials and renewing them has failed. */
  readonly onUnrenewed?: (() => void) | undefined;
}

/** Codes of the error for an unknown method; some agents report an invalid request instead. */
const UNKNOWN_METHOD: readonly RemoteErrorCode[] = ["METHOD_NOT_FOUND", "INVALID_REQUEST"];

/**
 * Makes a unary call.
 * @throws RemoteError; ClientError; the reason of the deadline's signal; what a credential provider throws
 */
export async function callUnary<Name extends OperationName>(
  attempt: Attempt<Name>,
): Promise<OperationTypes[Name]["received"]> {
  const { codec, operation: name } = attempt;
  const { value, request } = await exchange(attempt, await wireRequest(attempt));
  const tolerate = tolerance(attempt, request);
  let answer: OperationTypes[Name]["received"] | undefined;
  try {
    const reading = codec.decodeResponse(name, value, { tolerate, request: attempt.request });
    answer = reading instanceof Promise ? await reading : reading;
    new ExpectedIds(attempt, codec.conventions, tolerate).check(answer);
    return answer;
  } catch (error) {
    throw invalidAnswer(error, request, answer ?? value);
  }
}

/**
 * Makes a streaming call. Resolves when the stream is open; a plain result becomes a stream of one event, or of none if its kind is
 * unknown. The events of a stream are tagged with their generation if the agent numbers them. Reading a stream throws the errors of
 * {@link readEvents} and {@link callUnary}.
 * @throws the errors of {@link callUnary}
 */
export async function callStream(attempt: Attempt): Promise<AsyncIterable<Received<StreamResponse>>> {
  const { response, request, value } = await exchange(attempt, await wireRequest(attempt));
  const read = eventReader(attempt, request);
  if (response !== undefined) {
    const { deadline, settings, transport, codec } = attempt;
    const events = readEvents(response, {
      ...{ url: request.url, deadline, timeouts: settings.timeouts, limits: settings.limits, read },
      valueIn: (data) => transport.readEvent(data, request),
      ...(codec.isLast && { isLast: codec.isLast }),
    });
    if (codec.conventions.snapshotFirst) return events;
    const { withTask } = await import("./stream/add-task.js");
    return withTask(events, attempt, { callUnary: callUnary<"GetTask">, Deadline });
  }
  attempt.deadline.close();
  const event = await read(value);
  return (async function* () {
    if (event !== undefined) yield event;
  })();
}

/**
 * Encodes the request for its protocol version.
 * @throws ClientError CAPABILITY_MISSING if the version lacks the operation over the binding, or if the request names a tenant and the
 * version has none; INVALID_REQUEST if the request is not valid
 */
async function wireRequest({ operation: name, request, address, codec, id }: Attempt): Promise<WireRequest> {
  const { url } = address;
  const wire = codec.calls.get(name);
  const { tenants } = codec.conventions;
  if (!wire || (request?.tenant && !tenants)) {
    const { absentInVersion } = await import("./connect-error.js");
    throw absentInVersion(wire ? "tenant" : `operation ${name}`, codec.version, address.binding);
  }
  try {
    const writing = codec.encodeRequest(name, request);
    const encoded = writing instanceof Promise ? await writing : writing;
    const { tenant, ...value }: { tenant?: string } = encoded;
    const routed = (tenants && (address.tenant ?? tenant)) || undefined;
    const { streaming } = operation(name);
    return { operation: name, codec, wire, value, tenant: routed, url, id, streaming };
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    const { field, expected } = error;
    throw new ClientError("INVALID_REQUEST", `The request of ${name} is not valid: ${error.message}`, {
      field,
      expected,
    });
  }
}

/** An open stream, or the JSON value of a plain response. */
interface Exchanged {
  readonly request: WireRequest;
  readonly response?: Response;
  readonly value?: unknown;
}

/** Sends the call in its usual form and, if the agent does not know that, in the alternative forms (§5.3). */
async function exchange(attempt: Attempt, request: WireRequest): Promise<Exchanged> {
  const { address, channel, deadline, settings, transport, onUnrenewed } = attempt;
  const grant = await channel.grant(deadline.signal);
  attempt.onReady();
  const fetch = await address.open?.();
  // Over gRPC the response to a streaming call arrives with the first event.
  const isUnlimited = waitsForWork(request) || (request.streaming && fetch !== undefined);
  const connect = isUnlimited ? undefined : settings.timeouts.connect;
  const left = Math.min(deadline.left, (connect ?? Number.POSITIVE_INFINITY) * 1000);
  let unknown: unknown;
  for (const call of transport.write(request, left)) {
    const { method, url, body, answeredIn } = call;
    const outgoing = { method, url, headers: headersOf(attempt, call), ...(body !== undefined && { body }) };
    const response = await channel.send(outgoing, { grant, deadline, connect, fetch, onUnrenewed });
    if (response.ok && hasEventStream(response)) {
      if (request.streaming) return { request, response };
      discard(response);
      throw noValidAnswer(request, "a single response", "an event stream");
    }
    const { answer, card } = settings.limits;
    const isCard = request.operation === "GetExtendedAgentCard";
    // A streaming call has the limit `total` only for a response that is not a stream.
    if (request.streaming) deadline.start("total", settings.timeouts.total);
    const incoming = await receive(response, url, isCard ? card : answer, deadline);
    deadline.stop("total");
    checkJsonLimits(incoming.text, url, settings.limits);
    try {
      const { readAnswer } = answeredIn === undefined ? transport : await loadTransport(answeredIn);
      return { request, value: readAnswer(incoming, request) };
    } catch (thrown) {
      const error = await remoteError(thrown);
      if (!isUnknown(request, call, { error, incoming })) throw error;
      unknown ??= error;
    }
  }
  if (!request.wire.optional) throw unknown;
  throw (await import("./connect-error.js")).unknownOperation(request.operation, unknown);
}

/**
 * Whether the response may wait for the agent's work: the response to a plain send, or to a read that the agent holds until the task has
 * changed.
 */
function waitsForWork({ operation: name, streaming, value }: WireRequest): boolean {
  return !streaming && (operation(name).request === "SendMessageRequest" || "currentGeneration" in value);
}

/** Whether a response means that the agent does not know this form of the call. */
function isUnknown(
  { wire }: WireRequest,
  { answeredIn }: HttpCall,
  { error, incoming }: { readonly error: unknown; readonly incoming: Incoming },
): boolean {
  const { reason, code } = error instanceof RemoteError ? error : {};
  if (isUnknownRoute(incoming.status)) return reason !== "TASK_NOT_FOUND";
  // A server that does not know an alternative form may respond with an HTML page.
  if (answeredIn !== undefined) return code === undefined;
  if (wire.inner !== undefined && code === "INVALID_PARAMS") return true;
  return wire.path !== undefined && UNKNOWN_METHOD.some((word) => word === code);
}

function headersOf({ settings, headers, extensions, address, codec }: Attempt, call: HttpCall): Headers {
  const all = mergeHeaders(settings.headers, headers, call.headers);
  const version = address.namesVersion ? codec.version : undefined;
  setServiceParameters(all, { version, extensions, extensionsHeader: codec.conventions.extensionsHeader });
  return all;
}

function eventReader(attempt: Attempt, request: WireRequest): ReadEvent {
  const { codec } = attempt;
  const tolerate = tolerance(attempt, request);
  const readOne = codec.eventReader?.(attempt.operation, attempt.request) ?? codec.decodeEvent;
  const expected = new ExpectedIds(attempt, codec.conventions, tolerate);
  const checked = (event: Received<StreamResponse> | undefined): Received<StreamResponse> | undefined => {
    try {
      if (event !== undefined) expected.checkEvent(event);
      else {
        attempt.settings.logger.warn(
          { operation: request.operation },
          "An event of an unknown kind was skipped",
        );
      }
      return event;
    } catch (error) {
      throw invalidAnswer(error, request, event);
    }
  };
  return (value) => {
    const refuse = (error: unknown): never => {
      throw invalidAnswer(error, request, value);
    };
    try {
      const reading = readOne(value, tolerate);
      return reading instanceof Promise ? reading.then(checked).catch(refuse) : checked(reading);
    } catch (error) {
      return refuse(error);
    }
  };
}

/** Converts the fault of an answer that is not valid A2A to a ClientError. Other errors are returned unchanged. */
function invalidAnswer(error: unknown, { url, operation: name }: WireRequest, value: unknown): unknown {
  if (!(error instanceof ContractFault)) return error;
  const { field, expected, message } = error;
  // In older versions an answer may be the bare event or list, which the model wraps in a member.
  const path = field.replace(/^\w+(?=\W)/, (name) => (kindAt(value, name) === "no such member" ? "" : name));
  const received = kindAt(value, path);
  const what = `${displayUrl(url)} answered ${name} with an invalid value`;
  return new ClientError("INVALID_RESPONSE", `${what}: ${message} (received: ${received})`, {
    field,
    expected,
    received,
  });
}

/** In lenient mode, a function that logs invalid values as warnings; otherwise undefined. */
function tolerance({ settings }: Attempt, { operation: name, url }: WireRequest) {
  if (!settings.lenient) return undefined;
  return ({ field, expected }: ContractFault): void =>
    settings.logger.warn(
      { operation: name, url: displayUrl(url), field, expected },
      "An answer is not valid A2A",
    );
}
