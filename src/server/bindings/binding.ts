import type { A2AError } from "../../protocol/errors.js";
import type { StreamResponse } from "../../protocol/model.js";
import type { BodyReply, HostRequest, ReadAhead, StreamReply } from "../host.js";
import type { ChosenRequest, OperationRequest, RefusedRequest } from "../operation-request.js";
import type { ServedAgent } from "../served-agent.js";

/** The response of a unary operation. */
export interface Answer {
  /** The response as a JSON value of the caller's version; null if it is empty. */
  readonly value: unknown;
  /** Returns its approximate size in bytes. Present for lists, which are written over several turns of the event loop if they are long. */
  readonly size?: () => number;
}

/** The response of a streaming operation. */
export interface OpenedStream {
  /** The first event; undefined if the response begins before there is one. */
  readonly first: StreamResponse | undefined;
  /** The events after that. */
  readonly rest: AsyncIterator<StreamResponse> & ReadAhead<StreamResponse>;
  /** Reports a failure of the stream, and returns the error for the caller. */
  failed(thrown: unknown): A2AError;
  /** Called when the stream is over: it has ended or failed, or its reader has left. May be called again. */
  readonly closed?: (() => void) | undefined;
}

/**
 * A binding of the protocol to a transport (§5). It only reads requests and writes responses. The pipeline makes all decisions, such as
 * the version of a request and the order of the checks. `Frame` is the unit in which the host writes a stream.
 */
export interface Binding<Frame = string> {
  /** Accepts a request without reading it, so that a response can also be written for a request that is refused unread. */
  accept(host: HostRequest, agent: ServedAgent): OperationRequest;
  /**
   * Writes the response of a unary operation.
   * @returns a promise for long lists only
   */
  printAnswer(answer: Answer, request: ChosenRequest): BodyReply | Promise<BodyReply>;
  /** Writes the response of a streaming operation, event by event. */
  printStream(stream: OpenedStream, request: ChosenRequest): StreamReply<Frame>;
  /** Writes an error response. */
  printError(error: A2AError, request: RefusedRequest): BodyReply;
}
