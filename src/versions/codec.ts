import type { A2AError } from "../protocol/errors.js";
import type { AgentCard, AuthenticationInfo, StreamResponse, Task } from "../protocol/model.js";
import type { Field, Operation, OperationName, OperationTypes } from "../protocol/operations.js";
import type { HttpRoute } from "./client-codec.js";
import type { DecisionTable } from "./decisions.js";
import type { LastEventRule } from "./events.js";
import type { GrpcService } from "./grpc-service.js";
import type { LazyList } from "./lazy-list.js";

/** A detail of an error, distinguished by `@type` (§9.5, §11.6). */
interface ErrorDetail {
  readonly "@type": string;
  readonly [member: string]: unknown;
}

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";
const DOMAIN = "a2a-protocol.org";

/** The details of an error: an ErrorInfo with its reason and, for invalid members of the request, a BadRequest. */
export function errorDetails({ code, metadata, violations }: A2AError): ErrorDetail[] {
  const details: ErrorDetail[] = [
    {
      "@type": ERROR_INFO,
      reason: code,
      domain: DOMAIN,
      ...(Object.keys(metadata).length > 0 && { metadata }),
    },
  ];
  if (violations.length > 0) details.push({ "@type": BAD_REQUEST, fieldViolations: violations });
  return details;
}

/** A route of the HTTP+JSON binding in one protocol version. */
export interface WireRoute extends HttpRoute {
  readonly operation: Operation;
  /** Members that the query of a GET or DELETE may have, by their names in this version. */
  readonly fields: readonly Pick<Field, "name" | "kind" | "repeated">[];
  /** Members that may be in the query of a request with a body. */
  readonly besideBody?: readonly string[];
}

/** The parts of a request that show in which dialect it is written. */
export interface DialectClues {
  /** JSON-RPC method; undefined over HTTP+JSON and gRPC. */
  readonly method: string | undefined;
  /** Path below the mount of the binding, or of the gRPC method; undefined over JSON-RPC. */
  readonly path?: string;
  /** The version that the request names in its header or query, as written; undefined when it names none. */
  readonly version?: string | undefined;
  /** The parameters as a JSON value, with the members from path and query. */
  readonly value: unknown;
  /** The request names no version, and its task was created in the version of the codec. It is then read in the dialect of the task. */
  readonly versionFromTask?: boolean;
}

/** An error in a JSON-RPC response. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** HTTP status and status name of an error response, if they differ from those of the error. */
export interface HttpStatus {
  readonly code: number;
  readonly name: string;
}

/** The format of webhook calls in a version. */
interface NotificationFormat {
  readonly mediaType: string;
  /** Whether the body contains the current task, which must be loaded first. */
  readonly needsTask: boolean;
  /**
   * The body as JSON text.
   * @param task the current task; undefined if it was deleted. Not used when `needsTask` is false
   */
  encode(event: StreamResponse, task: Task | undefined): string;
  /** Writes credentials into headers; by default into `Authorization`, after the name of their scheme. */
  readonly credentialHeader?: CredentialHeader;
}

/** Writes the credentials for a webhook into headers. */
export type CredentialHeader = (
  authentication: AuthenticationInfo,
  credentials: string,
) => Readonly<Record<string, string>>;

/** What a version does differently, besides names and shapes, as far as servers are concerned. */
export interface Conventions {
  /** Header that names extensions, in requests and responses. */
  readonly extensionsHeader: string;
  /**
   * Media type of HTTP+JSON responses; undefined selects it by the `Accept` header of the request. The server's option `mediaType` takes
   * precedence.
   */
  readonly mediaType: string | undefined;
  /** Lists have no pages: a response contains all elements. */
  readonly wholeLists: boolean;
  /** A subscriber to an ended task gets the task, instead of an error. */
  readonly streamsEndedTasks: boolean;
  /** Over JSON-RPC, an error with HTTP status 200 that precedes the first event of a stream is sent as the only event of the stream. */
  readonly streamedErrors: boolean;
  /** Callers assign task ids: a message for an unknown task creates it with that id. */
  readonly clientTaskIds?: true;
  /** A plain message is not a valid response: a reply becomes the status message of a task. */
  readonly tasksOnly?: true;
  /** Tasks and events have generations. */
  readonly generations?: boolean;
  /** Requests may have metadata for which the model has no member. It becomes metadata of the call. */
  readonly requestMetadata?: true;
  /** In JSON-RPC streams, responses with a result lack the id of the request. */
  readonly framesWithoutId?: true;
}

/** The server side of gRPC in one protocol version. Its messages are values in ProtoJSON. */
export interface GrpcCodec extends GrpcService {
  /** Creates an encoder for the events of one stream. It returns each event as a JSON value. */
  eventEncoder(name: OperationName): (event: StreamResponse) => object;
}

/**
 * Creates an id.
 * @param content what the id is for: a message without an id or, for a new task, an object with the message that begins it as `begins`
 */
export type NewId = (content: unknown) => string;

/**
 * The server side of one protocol version: decodes requests to the model, and encodes responses of the model. It has no clock and no
 * connections, but generates ids that requests of its version lack. A method or route that is missing from the tables does not exist in
 * that version.
 */
export interface Codec {
  /** `Major.Minor`, or the name of a draft (`1.1-draft`) or dialect (`0.1-flat`). */
  readonly version: string;
  /** The decisions about the additions of the version to an earlier one; undefined for a version without a table of them. */
  readonly decisions?: DecisionTable;
  /** Other versions that callers may name when they call its methods and routes. */
  readonly answersTo: readonly string[];
  /** Operations by the JSON-RPC method string of this version. */
  readonly methods: ReadonlyMap<string, Operation>;
  /** Routes of HTTP+JSON; none when the version does not have this binding. */
  readonly routes: readonly WireRoute[];
  /** The service of gRPC; undefined when the version does not have this binding. */
  readonly grpc?: GrpcCodec | undefined;
  readonly conventions: Conventions;
  readonly notification: NotificationFormat;
  /** Requests that name a task but no version are read in the dialect of the task, because some do not show their dialect. */
  readonly dialectByTask?: true;
  /** The codec for the dialect of a request, if the version has several. */
  dialectOf?(clues: DialectClues): Codec;
  /** The codecs of other versions that {@link Codec.dialectOf} may return. */
  readonly dialects?: readonly Codec[];
  /**
   * Reads the request of an operation leniently, by the rules of ProtoJSON, and returns it in the form of the model. Versions with the
   * shapes of the model keep most unknown members of messages that are passed on, within limits (§5.7).
   * @param newId creates the ids that the request lacks; random ones by default
   * @throws A2AError INVALID_PARAMS that names the first invalid member
   */
  decodeRequest<Name extends OperationName>(
    name: Name,
    value: unknown,
    newId?: NewId,
  ): OperationTypes[Name]["request"];
  /**
   * The response as a JSON value of this version. A list of tasks may be a {@link LazyList}.
   * @param request the request, in the form of the model
   * @returns undefined for an operation whose response cannot be written in this version
   * @throws A2AError TASK_NOT_FOUND if a caller of 0.3 reads a webhook without naming its id, and the task has no webhook
   */
  encodeResponse<Name extends OperationName>(
    name: Name,
    response: OperationTypes[Name]["response"],
    request: OperationTypes[Name]["request"],
  ): unknown;
  /**
   * Creates a writer for the events of one stream. It returns each event as JSON without line breaks, and may cache the result.
   * @param name the operation that opened the stream
   */
  eventWriter(name: OperationName): (event: StreamResponse) => string;
  /** Whether an event is the last of its stream, which the server then closes. Absent if a stream ends only when it has no more events. */
  readonly isLast?: LastEventRule;
  /** The status update to write after the last event of a stream if that is a task, which cannot be marked as the last; else undefined. */
  closingEvent?(name: OperationName, event: StreamResponse): StreamResponse | undefined;
  /** The `error` of a JSON-RPC response. */
  encodeError(error: A2AError): ErrorBody;
  /** Body of an error response of HTTP+JSON, and of an `error` event in its streams. */
  encodeHttpError(error: A2AError, status?: HttpStatus): object;
  /** HTTP status of an error on HTTP+JSON. */
  httpStatusOf(error: A2AError): number;
  /** Paths below an agent at which callers of this version look for its card. */
  readonly cardPaths: readonly string[];
  /** The card in the shape of this version; undefined for a version older than the model if the card has no interface for its callers. */
  encodeCard(card: AgentCard): object | undefined;
}

/** How responses of a version are written, by operation. */
export type ResponseEncoders = {
  readonly [Name in OperationName]?: (
    response: OperationTypes[Name]["response"],
    request: OperationTypes[Name]["request"],
  ) => unknown;
};
