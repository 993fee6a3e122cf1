import type { ErrorCode } from "../protocol/errors.js";
import type { Received, StreamResponse } from "../protocol/model.js";
import type { OperationName, OperationTypes } from "../protocol/operations.js";
import type { GrpcService } from "./grpc-service.js";
import type { ContractFault } from "./version.js";

/** A route of the HTTP+JSON binding. Variables in its path, such as `{id}`, stand for members of the request. */
export interface HttpRoute {
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
}

/** How an operation is called in one protocol version. */
export interface WireCall {
  /** JSON-RPC method; `""` when the codec has none for the operation. */
  readonly method: string;
  /** Routes of the HTTP+JSON binding, the preferred one first. */
  readonly http: readonly HttpRoute[];
  /** Many agents lack the operation, so an unknown route means that the agent does not support it. */
  readonly optional?: true;
  /**
   * A member of the request, an object, that some agents expect to be replaced by its own members. That form is sent if an agent refuses
   * the usual one as unknown or invalid.
   */
  readonly inner?: string;
  /** Path, relative to the URL of the interface, at which agents without the JSON-RPC method may serve its result to a GET. */
  readonly path?: string;
}

/** Records a tolerated violation. */
export type Tolerate = (fault: ContractFault) => void;

/** Options of {@link ClientCodec.decodeResponse}. */
export interface ResponseReading<Name extends OperationName = OperationName> {
  /** Receives a violation that would otherwise be thrown, if a part of the response could be read. That part is then returned. */
  readonly tolerate?: Tolerate | undefined;
  /**
   * The request, in the form of the model. The codecs of 0.1 and its dialect take values from it that responses omit. The codecs of older
   * versions filter and page lists of tasks by it.
   */
  readonly request?: OperationTypes[Name]["request"];
}

/** What a version does differently, besides names and shapes, as far as clients are concerned. */
export interface CallerConventions {
  /** Header that names extensions. */
  readonly extensionsHeader: string;
  /** Media type of HTTP+JSON requests. */
  readonly mediaType: string;
  /** Whether a request can name a tenant. */
  readonly tenants: boolean;
  /**
   * No stream begins with an update. In other versions it may; the client then reads the task and yields it first. It leaves the update
   * out if the task includes it: always for an artifact update, and for a status update if the task has its state, message and metadata.
   */
  readonly snapshotFirst?: true;
  /** The agent uses the context that a message names, or refuses it (§3.4.1). In other versions it may create a new context. */
  readonly keepsContexts?: true;
  /** The codec may have generated the ids of contexts and push configs in a response, so only task ids are compared with the request. */
  readonly taskIdsOnly?: true;
  /** Events of JSON-RPC streams may lack the JSON-RPC response around the result, or `jsonrpc` or `id` in it. */
  readonly looseFrames?: true;
}

/**
 * The codec with which a client calls agents of one protocol version: it converts requests from the model to this version, and responses
 * from this version to the model. An operation missing from `calls` cannot be called with the codec. A result may be a promise, because
 * code may be imported on demand.
 */
export interface CallCodec {
  /** `Major.Minor`, or the name of a draft (`1.1-draft`) or dialect (`0.1-flat`). */
  readonly version: string;
  readonly conventions: CallerConventions;
  readonly calls: ReadonlyMap<OperationName, WireCall>;
  /**
   * The request as a JSON object of this version.
   * @throws ContractFault that names the first invalid member
   */
  encodeRequest<Name extends OperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
  ): object | Promise<object>;
  /**
   * Reads the response to an operation. In versions with the shapes of the model, enum numbers without a name, unknown enum names in upper
   * case and most unknown members are kept (§5.7).
   * @throws ContractFault that names the first invalid member
   */
  decodeResponse<Name extends OperationName>(
    name: Name,
    value: unknown,
    reading?: ResponseReading<Name>,
  ): OperationTypes[Name]["received"] | Promise<OperationTypes[Name]["received"]>;
  /**
   * Reads a single event, like {@link decodeResponse}: the body of a webhook call, or an event of a stream.
   * @returns undefined for a kind of event that this version does not know
   * @throws ContractFault that names the first invalid member
   */
  decodeEvent(value: unknown, tolerate?: Tolerate): DecodedEvent | Promise<DecodedEvent>;
  /**
   * Creates a reader for the events of one stream, in versions whose events depend on the request and on earlier events. In others
   * {@link decodeEvent} reads them. The reader returns and throws what `decodeEvent` does.
   * @param request the request that opened the stream, in the form of the model
   */
  eventReader?<Name extends OperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
  ): (value: unknown, tolerate?: Tolerate) => DecodedEvent;
  /** Whether an event, as received, is the last of its stream. If absent, a stream ends when the agent ends it. */
  isLast?(value: unknown): boolean;
  /** The code for an error number to which agents of this version give a meaning that the model does not; else undefined. */
  errorCodeOf?(jsonRpcCode: number, message: string): ErrorCode | undefined;
  /** The gRPC service; always present in the codec that `forBinding` returns for gRPC. */
  readonly grpc?: GrpcService | undefined;
  /** The codec for a binding, which may have shapes of its own. */
  forBinding?(binding: string): CallCodec | Promise<CallCodec>;
}

/** An event; undefined for a kind of event that the version does not know. */
type DecodedEvent = Received<StreamResponse> | undefined;

/** A {@link CallCodec} whose readers and writers are imported, so that they return no promises. */
export interface ClientCodec extends CallCodec {
  encodeRequest<Name extends OperationName>(name: Name, request: OperationTypes[Name]["request"]): object;
  decodeResponse<Name extends OperationName>(
    name: Name,
    value: unknown,
    reading?: ResponseReading<Name>,
  ): OperationTypes[Name]["received"];
  decodeEvent(value: unknown, tolerate?: Tolerate): DecodedEvent;
  forBinding?(binding: string): ClientCodec;
}
