import { type A2AError, clientError, errors } from "../protocol/errors.js";
import type { AgentCard, Received, StreamResponse, Task } from "../protocol/model.js";
import {
  type OperationName,
  type OperationTypes,
  operation,
  type StreamingOperationName,
} from "../protocol/operations.js";
import { checked, invalidValue } from "./checked.js";
import type { ClientCodec } from "./client-codec.js";
import { type ClientVersion, callableVersions, loadCallCodec, newestClientVersion } from "./client-codecs.js";
import type { Codec, ErrorBody } from "./codec.js";
import { loadCodecs, type ServerVersion, servableVersions } from "./codecs.js";
import { decodeCard } from "./decode-card.js";
import { readErrorBody } from "./error-body.js";
import { LazyList } from "./lazy-list.js";
import { recognizeError } from "./received-error.js";
import { clientCodec as newest } from "./v1.0/client-codec.js";
import { ContractFault, type DRAFT_VERSION, type FLAT_VERSION } from "./version.js";

/**
 * A released protocol version with a public codec. 0.2 is read by the codec of 0.3.
 *
 * @example
 * ```ts
 * const versions: readonly CodecVersion[] = ["1.0", "0.3", "0.1"];
 * ```
 */
export type CodecVersion = Exclude<ServerVersion & ClientVersion, typeof FLAT_VERSION | typeof DRAFT_VERSION>;

/**
 * All protocol versions with a public codec, newest first.
 *
 * @example
 * ```ts
 * const codecs = await Promise.all(codecVersions.map(loadVersionCodec));
 * ```
 */
export const codecVersions: readonly CodecVersion[] = [...servableVersions]
  .filter(([version, { listedAs, isOptIn }]) => {
    return listedAs === undefined && !isOptIn && callableVersions.includes(version);
  })
  .map(([version]) => version as CodecVersion);

/** A source of events: a stream, or a list of recorded events. */
type Events<Event> = AsyncIterable<Event> | Iterable<Event>;

/**
 * Reads and writes the messages of one protocol version. Readers return validated values of the newest released version. Writers return
 * the form of this version in JSON-RPC: the `params` of a request, the `result` or the `error` of a response. A codec has no connection.
 * It caches the JSON of recent events, so do not change an event after you have written it.
 *
 * Readers are lenient (§5.7): they also accept other spellings in use, and responses and events in the shapes of HTTP+JSON. All
 * except `readError` throw `A2AError` for an invalid value, which a gateway can return with {@link VersionCodec.writeError}. Of the
 * writers, only `writeRequest` validates its value; `writeResponse` and `writeStream` refuse empty events and empty responses to sends.
 *
 * @example
 * ```ts
 * const older = await loadVersionCodec("0.3");
 * const newer = await loadVersionCodec("1.0");
 * const request = older.readRequest("SendMessage", {
 *   message: { kind: "message", role: "user", messageId: "m1", parts: [{ kind: "text", text: "Hello" }] },
 * });
 * // { message: { messageId: "m1", role: "ROLE_USER", parts: [{ text: "Hello" }] } }
 * const params = newer.writeRequest("SendMessage", request);
 * ```
 */
export interface VersionCodec {
  /** The protocol version whose messages the codec reads and writes. */
  readonly version: CodecVersion;
  /** The operation of a JSON-RPC method; undefined when the version does not have the method. */
  operationOf(method: string): OperationName | undefined;
  /** The JSON-RPC method of an operation; undefined when the version has none for it. */
  methodOf(name: OperationName): string | undefined;
  /**
   * Reads the `params` of a request. Absent `params` count as an empty object. In 0.1, messages have no ids, and each gets a random
   * one when it is read; a send always has `message.taskId`, chosen by the caller or random, even if the message begins the task. Agents
   * of later versions refuse the id of a task that they do not have (§3.4.2): a gateway must remove it from a message that begins a task.
   * @param name an operation that the version has, for example one that {@link operationOf} returned
   * @throws A2AError INVALID_PARAMS that names the first invalid member
   */
  readRequest<Name extends OperationName>(name: Name, params: unknown): OperationTypes[Name]["request"];
  /**
   * Writes the `params` of a request.
   * @throws A2AError INVALID_PARAMS when the request is invalid; UNSUPPORTED_OPERATION when the version has no JSON-RPC method for it
   */
  writeRequest<Name extends OperationName>(name: Name, request: OperationTypes[Name]["request"]): object;
  /**
   * Reads the `result` of a response. A plain response to a streaming operation is read as one event.
   * @param request the request: responses of 0.1 omit values that it has, and lists of tasks of 0.3 are filtered and paged by it
   * @throws A2AError INVALID_AGENT_RESPONSE that names the first invalid member; in 0.3, INVALID_PARAMS when the `pageToken` of ListTasks is
   *   neither empty nor a number of at most nine digits
   */
  readResponse<Name extends OperationName>(
    name: Name,
    result: unknown,
    request: OperationTypes[Name]["request"],
  ): OperationTypes[Name]["received"];
  /**
   * Writes the `result` of a response; for a streaming operation, one event as a plain response, which 0.1 does not have. Older versions
   * have no pages, so the response to a list must have all elements.
   * @param request the request: responses of older versions may contain ids from it
   * @throws A2AError UNSUPPORTED_OPERATION when the version does not have the operation, and in 0.1 for a streaming operation: use
   *   {@link VersionCodec.writeStream}; INVALID_AGENT_RESPONSE when the response to a send or a streaming operation is empty
   */
  writeResponse<Name extends OperationName>(
    name: Name,
    response: OperationTypes[Name]["received"],
    request: OperationTypes[Name]["request"],
  ): unknown;
  /**
   * Reads the results of a stream, one by one, up to an event that is marked as the last. Events of an unknown kind are skipped. Streams
   * of older versions may begin with an update instead of the task.
   * @param request the request that opened the stream
   * @throws A2AError INVALID_AGENT_RESPONSE that names the first invalid member; the errors of `results`
   */
  readStream<Name extends StreamingOperationName>(
    name: Name,
    results: Events<unknown>,
    request: OperationTypes[Name]["request"],
  ): AsyncGenerator<Received<StreamResponse>, void, undefined>;
  /**
   * Writes the results of a stream, one by one. Writers of older versions stop after the event that ends the stream, such as a terminal
   * status. They mark it as the last if they write it as a status update. In 0.3, a marked status update follows a task that ends the stream.
   * @throws A2AError INVALID_AGENT_RESPONSE for an event without a task, message or update; the errors of `events`
   */
  writeStream(
    name: StreamingOperationName,
    events: Events<Received<StreamResponse>>,
  ): AsyncGenerator<object, void, undefined>;
  /**
   * Reads the body of a webhook call.
   * @returns undefined for a kind of event that the version does not know
   * @throws A2AError INVALID_PARAMS that names the first invalid member
   */
  readNotification(body: unknown): Received<StreamResponse> | undefined;
  /**
   * Writes the body of a webhook call.
   * @param task the task after the event, because older versions send the whole task
   */
  writeNotification(event: Received<StreamResponse>, task: Received<Task>): object;
  /**
   * Reads the `error` of a response. An error that is not recognized becomes INTERNAL_ERROR. The message is the agent's, if it sent one:
   * check it before you show it to callers.
   * @param name the operation that failed
   */
  readError(name: OperationName, error: unknown): A2AError;
  /** Writes an error as the `error` of a response. Its number may differ from that of the newest version. */
  writeError(error: A2AError): ErrorBody;
  /**
   * Writes an agent card. For older versions, members that they do not have are omitted, and so are signatures, because these cover the
   * card in its newest form.
   * @returns undefined when this version is older than the newest and the card has no interface of it. For 0.1, the card needs a JSON-RPC
   *   interface of 0.1 or its flat dialect
   */
  writeCard(card: AgentCard): object | undefined;
}

/**
 * Loads the codec of a protocol version.
 *
 * @throws TypeError for an unknown version
 * @example
 * ```ts
 * const codec = await loadVersionCodec("0.3");
 * const { status } = codec.readResponse("GetTask", result, { id: "t1" });
 * ```
 */
export async function loadVersionCodec(version: CodecVersion): Promise<VersionCodec> {
  if (!codecVersions.includes(version)) {
    throw new TypeError(
      `No codec for protocol version ${version}; choose one of ${codecVersions.join(", ")}`,
    );
  }
  const [server, client] = await Promise.all([
    loadCodecs((one) => one === version),
    loadClientCodec(version),
  ]);
  return versionCodec(version, server.get(version) as Codec, client);
}

/**
 * Reads an agent card of any version. The version is recognized from the card.
 *
 * @throws A2AError INVALID_AGENT_RESPONSE that names the invalid member
 * @example
 * ```ts
 * const card = readCard(await (await fetch(`${url}/.well-known/agent-card.json`)).json());
 * const older = (await loadVersionCodec("0.3")).writeCard(card);
 * ```
 */
export function readCard(value: unknown): AgentCard {
  return checked("INVALID_AGENT_RESPONSE", "agent card", () => decodeCard(value));
}

/**
 * Loads the client codec of a version with all of its code. For the newest version, {@link loadCallCodec} would return a codec that imports
 * its lenient reader on demand.
 * @throws TypeError for an unknown version
 */
export async function loadClientCodec(version: string): Promise<ClientCodec> {
  return version === newestClientVersion ? newest : ((await loadCallCodec(version)) as ClientCodec);
}

/** Writers leave values of enums that they do not know as they are, so the casts below lose nothing. */
function versionCodec(version: CodecVersion, server: Codec, client: ClientCodec): VersionCodec {
  const methodOf = (name: OperationName) => client.calls.get(name)?.method || undefined;
  const isRouted = (name: OperationName) => server.routes.some(({ operation }) => operation.name === name);
  const unsupported = (name: OperationName): A2AError =>
    clientError(
      "UNSUPPORTED_OPERATION",
      `Protocol version ${version} has no ${isRouted(name) ? "JSON-RPC method for " : ""}${name}`,
    );
  return {
    version,
    operationOf: (method) => server.methods.get(method)?.name,
    methodOf,
    readRequest: (name, params) => server.decodeRequest(name, params ?? {}),
    writeRequest: (name, request) => {
      if (methodOf(name) === undefined) throw unsupported(name);
      return checked("INVALID_PARAMS", "request", () => client.encodeRequest(name, request));
    },
    readResponse: (name, result, request) =>
      checked("INVALID_AGENT_RESPONSE", "response", () => readResponse(client, name, result, request)),
    writeResponse: (name, response, request) => {
      if (methodOf(name) === undefined && !isRouted(name)) throw unsupported(name);
      if (name === "SendMessage" || operation(name).streaming) refuseEmpty("response", response);
      const result = server.encodeResponse(
        name,
        response as OperationTypes[typeof name]["response"],
        request,
      );
      if (result === undefined) throw onlyStreamed(version, name);
      return result instanceof LazyList ? result.toJSON() : result;
    },
    readStream: async function* (name, results, request) {
      const read = eventReader(client, name, request);
      for await (const result of results) {
        const event = checked("INVALID_AGENT_RESPONSE", "event", () => read(result));
        if (event !== undefined) yield event;
        if (client.isLast?.(result)) return;
      }
    },
    writeStream: async function* (name, events) {
      const write = server.eventWriter(name);
      for await (const event of events as Events<StreamResponse>) {
        refuseEmpty("event", event);
        yield JSON.parse(write(event)) as object;
        const closing = server.closingEvent?.(name, event);
        if (closing !== undefined) yield JSON.parse(write(closing)) as object;
        if (server.isLast?.(name, event)) return;
      }
    },
    readNotification: (body) => checked("INVALID_PARAMS", "event", () => client.decodeEvent(body)),
    writeNotification: (event, task) =>
      JSON.parse(server.notification.encode(event as StreamResponse, task as Task)) as object,
    readError: (operation, error) => {
      const failure = recognizeError({ operation, ...readErrorBody(error, client) });
      const { code, message, violations, metadata } = failure;
      const known = code in errors ? (code as keyof typeof errors) : "INTERNAL_ERROR";
      return clientError(known, message, { violations, metadata });
    },
    writeError: server.encodeError,
    writeCard: server.encodeCard,
  };
}

/** The reader of the events of one stream. */
function eventReader<Name extends OperationName>(
  client: ClientCodec,
  name: Name,
  request: OperationTypes[Name]["request"],
): ClientCodec["decodeEvent"] {
  return client.eventReader?.(name, request) ?? client.decodeEvent;
}

/** Reads a response. One to a streaming operation is an event; for an event of an unknown kind, `decodeResponse` throws the error. */
function readResponse<Name extends OperationName>(
  client: ClientCodec,
  name: Name,
  result: unknown,
  request: OperationTypes[Name]["request"],
): OperationTypes[Name]["received"] {
  const event = operation(name).streaming ? eventReader(client, name, request)(result) : undefined;
  return (event as OperationTypes[Name]["received"]) ?? client.decodeResponse(name, result, { request });
}

/** Throws INVALID_AGENT_RESPONSE for a response or an event that has no task, message or update. */
function refuseEmpty(what: "response" | "event", value: object | null): void {
  const { task, message, statusUpdate, artifactUpdate } = (value ?? {}) as Partial<StreamResponse>;
  if (task || message || statusUpdate || artifactUpdate) return;
  const fault = new ContractFault("", "must have a task, a message or an update");
  throw invalidValue("INVALID_AGENT_RESPONSE", what, fault);
}

/** The error for a response that a codec does not write: in 0.1, any response to a streaming operation. */
function onlyStreamed(version: CodecVersion, name: OperationName): A2AError {
  const text = `Protocol version ${version} answers ${name} with a stream: use writeStream`;
  return clientError("UNSUPPORTED_OPERATION", text);
}
