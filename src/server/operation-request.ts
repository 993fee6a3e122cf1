import type { Operation } from "../protocol/operations.js";
import type { Codec, HttpStatus } from "../versions/codec.js";
import type { HostRequest } from "./host.js";
import type { ServedAgent } from "./served-agent.js";

/** Headers that an answer gets beside those of its binding. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** No headers beyond those of every answer: the common case, in which nothing is copied. */
export const noHeaders: ReplyHeaders = Object.freeze({});

const noQuery = new URLSearchParams();

/**
 * What a caller asks for, read by a binding in two steps: first what is the same in every version, then what depends on the
 * version that the pipeline has chosen. Each binding extends it by what it needs again for its answer.
 */
export abstract class OperationRequest {
  /** The request as the host has given it. */
  readonly host: HostRequest;
  readonly agent: ServedAgent;
  /** Parsed query of the request. */
  readonly query: URLSearchParams;
  /** Method that the caller names; undefined on bindings that tell operations apart in another way. */
  method: string | undefined = undefined;
  /** Codec of the version that the request is read and answered in; undefined until it has been chosen. */
  codec: Codec | undefined = undefined;
  /** The operation that is meant; undefined until it is known. */
  operation: Operation | undefined = undefined;
  /** The operation's request as a JSON value of the version; undefined once it has been decoded. */
  value: unknown = undefined;
  /** Status of a refusal, when it is not the one of its error. */
  status: HttpStatus | undefined = undefined;
  /** Headers that the answer gets, also when it is an error. */
  headers: ReplyHeaders = noHeaders;

  constructor(host: HostRequest, agent: ServedAgent) {
    this.host = host;
    this.agent = agent;
    this.query = host.query === "" ? noQuery : new URLSearchParams(host.query);
  }

  /**
   * Reads what is the same in every version.
   * @throws A2AError METHOD_NOT_FOUND, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or INVALID_REQUEST
   */
  abstract parse(): void;

  /** Whether a version has the method or the route that was called. */
  abstract isIn(codec: Codec): boolean;

  /**
   * Reads the request as one of a version: its operation, and its value where the version decides how that is read.
   * @throws A2AError METHOD_NOT_FOUND when the version does not have the operation, and whatever is wrong with the value
   */
  abstract readIn(codec: Codec): void;
}

/** A request whose version and operation have been chosen. */
export type ChosenRequest = OperationRequest & { readonly codec: Codec; readonly operation: Operation };

/** A request that is refused, in the version that its caller is most likely to read. */
export type RefusedRequest = OperationRequest & { readonly codec: Codec };

/** Value of a query parameter that has one: of a repeated one the last counts, and an empty one is absent (§11.5). */
export function lastValue(query: URLSearchParams, name: string): string | undefined {
  return query.getAll(name).at(-1) || undefined;
}
