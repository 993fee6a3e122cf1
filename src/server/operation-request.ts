import type { Operation } from "../protocol/operations.js";
import type { Codec, HttpStatus } from "../versions/codec.js";
import type { HostRequest } from "./host.js";
import type { ServedAgent } from "./served-agent.js";

/** Headers of a response in addition to those of its binding. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** No additional headers. The usual case shares this object, so that nothing is copied. */
export const noHeaders: ReplyHeaders = Object.freeze({});

const noQuery = new URLSearchParams();

/**
 * The operation that a caller requests. A binding reads it in two steps: first the parts that are the same in every version, then those
 * that depend on the version that the pipeline has chosen. Each binding has a subclass with the parts that its response needs.
 */
export abstract class OperationRequest {
  /** The request as the host received it. */
  readonly host: HostRequest;
  readonly agent: ServedAgent;
  /** Parsed query of the request. */
  readonly query: URLSearchParams;
  /** Method that the caller names; undefined in bindings that identify operations in another way. */
  method: string | undefined = undefined;
  /** Codec of the version in which the request is read and answered; undefined until it is chosen. */
  codec: Codec | undefined = undefined;
  /** The requested operation; undefined until it is known. */
  operation: Operation | undefined = undefined;
  /** The operation's request as a JSON value of the version; undefined after it was decoded. */
  value: unknown = undefined;
  /** Status of an error response, if it differs from that of the error. */
  status: HttpStatus | undefined = undefined;
  /** Additional headers of the response, also if it is an error. */
  headers: ReplyHeaders = noHeaders;

  constructor(host: HostRequest, agent: ServedAgent) {
    this.host = host;
    this.agent = agent;
    this.query = host.query === "" ? noQuery : new URLSearchParams(host.query);
  }

  /**
   * Reads the parts that are the same in every version.
   * @throws A2AError METHOD_NOT_FOUND, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or INVALID_REQUEST
   */
  abstract parse(): void;

  /** Whether a version has the called method or route. */
  abstract isIn(codec: Codec): boolean;

  /**
   * Reads the request in a version: its operation, and its value if that depends on the version.
   * @throws A2AError METHOD_NOT_FOUND when the version does not have the operation; INVALID_PARAMS and others for the value
   */
  abstract readIn(codec: Codec): void;
}

/** A request whose version and operation are chosen. */
export type ChosenRequest = OperationRequest & { readonly codec: Codec; readonly operation: Operation };

/** A refused request, with the codec of the version that its caller most likely uses. */
export type RefusedRequest = OperationRequest & { readonly codec: Codec };

/** The value of a query parameter: the last one if it is repeated; undefined if it is absent or empty (§11.5). */
export function lastValue(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1) || undefined;
}
