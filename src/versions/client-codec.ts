import type { ErrorCode } from "../protocol/errors.js";
import type { StreamResponse } from "../protocol/model.js";
import type { OperationName, OperationTypes } from "../protocol/operations.js";
import type { ContractFault } from "./version.js";

/** A route of the HTTP+JSON binding in any version. Variables of the path are members of the request. */
export interface HttpRoute {
  readonly verb: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
}

/** How an operation is called in one protocol version. */
export interface WireCall {
  /** JSON-RPC method. */
  readonly method: string;
  /** Routes of the HTTP+JSON binding, the preferred one first. */
  readonly http: readonly HttpRoute[];
  /** Many agents lack the operation: one that does not know the route has no such operation. */
  readonly optional?: true;
  /** Member of the request that some agents take in place of the request: the body when they refuse the request as invalid. */
  readonly inner?: string;
  /** Where agents that lack the JSON-RPC method may give its result to a plain GET, relative to the interface. */
  readonly path?: string;
}

/** Records a tolerated violation. */
export type Tolerate = (fault: ContractFault) => void;

/** What an answer is read with. */
export interface ResponseReading<Name extends OperationName = OperationName> {
  /** Receives violations that would otherwise be thrown; the answer is then returned as far as it could be read. */
  readonly tolerate?: Tolerate | undefined;
  /** The request that is answered, in canonical form: older answers do not repeat what it says. */
  readonly request?: OperationTypes[Name]["request"];
}

/** Conventions of callers in which versions differ beside names and shapes. */
export interface CallerConventions {
  /** Header that names extensions. */
  readonly extensionsHeader: string;
  /** Media type of HTTP+JSON bodies. */
  readonly mediaType: string;
  /** Whether requests can be for a tenant. */
  readonly tenants: boolean;
  /** Whether a stream always begins with the task; else the caller reads it when an update comes first. */
  readonly snapshotFirst?: true;
  /** The agent answers under the context that a message names, or refuses it (§3.4.1). Otherwise it may make another. */
  readonly keepsContexts?: true;
  /** Answers and events name only their task: ids of contexts and push configurations are the codec's. */
  readonly taskIdsOnly?: true;
  /** Events of JSON-RPC streams may lack the envelope, or the id in it. */
  readonly looseFrames?: true;
}

/**
 * The client side of one protocol version: encodes requests and decodes answers of the model. Pure. An operation
 * missing from `calls` does not exist in that version.
 */
export interface ClientCodec {
  /** `Major.Minor`. */
  readonly version: string;
  readonly conventions: CallerConventions;
  readonly calls: ReadonlyMap<OperationName, WireCall>;
  /**
   * The request as a JSON object of this version.
   * @throws ContractFault when the request is not right, naming the member
   */
  encodeRequest<Name extends OperationName>(name: Name, request: OperationTypes[Name]["request"]): object;
  /**
   * Reads the answer to an operation. Members that the model can carry and unknown enum names are kept; a card has known members
   * only (§5.7).
   * @throws ContractFault naming the first faulty member
   */
  decodeResponse<Name extends OperationName>(
    name: Name,
    value: unknown,
    reading?: ResponseReading<Name>,
  ): OperationTypes[Name]["response"];
  /**
   * Reads an event that stands alone, as {@link decodeResponse} does: the body of a webhook call, or one of a stream.
   * @returns undefined for an event of a kind that this version does not know
   */
  decodeEvent(value: unknown, tolerate?: Tolerate): StreamResponse | undefined;
  /**
   * Reader of the events of one stream, where they cannot be read each for itself. Without it, {@link decodeEvent} reads them.
   * @param request the request that opened the stream, in canonical form
   */
  eventReader?<Name extends OperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
  ): (value: unknown, tolerate?: Tolerate) => StreamResponse | undefined;
  /**
   * Whether the stream is over after this event, even if the connection stays open. Without it, the end of the
   * connection decides.
   */
  isLast?(value: unknown): boolean;
  /** What a number of an error means, where it means something else than in the newest version. */
  errorCodeOf?(jsonRpcCode: number, message: string): ErrorCode | undefined;
  /** The codec for a binding that is spoken in shapes of its own. */
  forBinding?(binding: string): ClientCodec;
}
