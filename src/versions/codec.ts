import type { A2AError } from "../protocol/errors.js";
import type { AgentCard, AuthenticationInfo, StreamResponse, Task } from "../protocol/model.js";
import type { Field, Operation, OperationName, OperationTypes } from "../protocol/operations.js";
import type { HttpRoute } from "./client-codec.js";
import type { LastEventRule } from "./events.js";

/** One detail of an error, told apart by `@type` (§9.5, §11.6). */
interface ErrorDetail {
  readonly "@type": string;
  readonly [member: string]: unknown;
}

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest";
const DOMAIN = "a2a-protocol.org";

/** The details of an error: always an ErrorInfo with its reason, and a BadRequest when members of the request are at fault. */
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
  /** Members that a query may carry, by their names in this version. */
  readonly fields: readonly Pick<Field, "name" | "kind" | "repeated">[];
  /** Members that stand in the query although the request has a body. */
  readonly besideBody?: readonly string[];
}

/** What a request says about the way its caller writes. */
export interface Clues {
  /** JSON-RPC method; undefined on HTTP+JSON. */
  readonly method: string | undefined;
  /** Path on HTTP+JSON, below the mount of the binding; undefined on JSON-RPC. */
  readonly path?: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The operation's request as a JSON value, members from path and query included. */
  readonly value: unknown;
  /** The request does not show its dialect: it is read in the dialect in which its task was begun. */
  readonly versionFromTask?: boolean;
}

/** An error in a JSON-RPC response. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** HTTP status of an error reply and its name, where they are not those of the error. */
export interface HttpStatus {
  readonly code: number;
  readonly name: string;
}

/** How webhooks are called in one version. */
interface Notification {
  readonly mediaType: string;
  /** The body contains the current task, which must be read first. */
  readonly ofTask: boolean;
  /**
   * The body as JSON text.
   * @param task the task as it stands; undefined when it is gone, or when `ofTask` is false
   */
  encode(event: StreamResponse, task: Task | undefined): string;
  /** Without it, they go into `Authorization` with the scheme before them. */
  readonly credentialHeader?: CredentialHeader;
}

/** The header that the credentials for a webhook go into. */
export type CredentialHeader = (
  authentication: AuthenticationInfo,
  credentials: string,
) => Readonly<Record<string, string>>;

/** Conventions in which versions differ beside names and shapes. */
export interface Conventions {
  /** Header that names extensions, in requests and answers. */
  readonly extensionsHeader: string;
  /** Media type of HTTP+JSON answers; undefined selects it by the `Accept` of the request. */
  readonly mediaType: string | undefined;
  /** Lists have no pages: an answer contains all elements. */
  readonly wholeLists: boolean;
  /** A subscriber to an ended task gets the task as the only event, instead of an error. */
  readonly settledStreams: boolean;
  /** A JSON-RPC call that would have been answered by a stream gets its error as the only event of one. */
  readonly streamedErrors: boolean;
  /** Callers assign task ids: a message for an unknown task creates it with that id. */
  readonly clientTaskIds?: true;
  /** Plain messages are not answers: a reply becomes a completed task. */
  readonly tasksOnly?: true;
  /** Every request may have metadata; where the model has no such member, it becomes metadata of the call. */
  readonly requestMetadata?: true;
  /** The JSON-RPC responses in a stream do not repeat the id of the request. */
  readonly framesWithoutId?: true;
}

/**
 * The server side of one protocol version: decodes requests and encodes answers of the model. Pure: no clock, no
 * identity, no I/O. A method or route missing from the tables does not exist in that version.
 */
export interface Codec {
  /** `Major.Minor`. */
  readonly version: string;
  /** Other versions whose callers it takes as well, when they call a method or route that it has. */
  readonly answersTo: readonly string[];
  /** Operations by the JSON-RPC method string of this version. */
  readonly methods: ReadonlyMap<string, Operation>;
  /** Routes of HTTP+JSON; none when the version does not have this binding. */
  readonly routes: readonly WireRoute[];
  readonly conventions: Conventions;
  readonly notification: Notification;
  /** A request may not tell in which of its dialects it is written; then its task does. */
  readonly dialectByTask?: true;
  /** The codec for the way in which this caller writes, where a version has several; absent where it has one. */
  dialectOf?(clues: Clues): Codec;
  /**
   * Reads an operation's request, lenient as ProtoJSON readers are, and gives it in canonical form.
   * @throws A2AError INVALID_PARAMS naming the first faulty member
   */
  decodeRequest<Name extends OperationName>(name: Name, value: unknown): OperationTypes[Name]["request"];
  /**
   * The response as a JSON value of this version, in which a list of tasks may be a {@link ListOf} them.
   * @param request the request that it answers, in canonical form
   */
  encodeResponse<Name extends OperationName>(
    name: Name,
    response: OperationTypes[Name]["response"],
    request: OperationTypes[Name]["request"],
  ): unknown;
  /**
   * Writer of the events of one stream, which may remember what it has written: each as JSON text without line breaks.
   * @param name the operation that opened the stream
   */
  eventWriter(name: OperationName): (event: StreamResponse) => string;
  /** Tells the last event of a stream, after which the stream is closed. Absent where only the end of the stream tells. */
  readonly isLast?: LastEventRule;
  /** The event that is written after one that is the last of its stream but cannot say so; undefined for all others. */
  closingEvent?(name: OperationName, event: StreamResponse): StreamResponse | undefined;
  encodeError(error: A2AError): ErrorBody;
  /** Body of an HTTP+JSON error reply, and `error` event of a stream there. */
  encodeHttpError(error: A2AError, status?: HttpStatus): object;
  /** HTTP status of an error on HTTP+JSON. */
  httpStatusOf(error: A2AError): number;
  /** Paths below an agent at which callers of this version look for its card. */
  readonly cardPaths: readonly string[];
  /** The card in the shape of this version; undefined when nothing in it speaks this version. */
  encodeCard(card: AgentCard): object | undefined;
}

/** How the responses of a version are written, by operation; none where it does not have the operation. */
export type ResponseEncoders = {
  readonly [Name in OperationName]?: (
    response: OperationTypes[Name]["response"],
    request: OperationTypes[Name]["request"],
  ) => unknown;
};
