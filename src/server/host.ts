import type { IncomingRequest } from "../auth/incoming-request.js";
import type { Principal } from "../protocol/call-context.js";
import type { ErrorCode } from "../protocol/errors.js";
import type { OperationName } from "../protocol/operations.js";
import type { ArrivalListener } from "../task-log/log-feed.js";

/**
 * A request, independent of the HTTP framework. Bindings and the pipeline read it. `ServerRequest` has what all hosts have in common.
 */
export interface HostRequest extends IncomingRequest {
  /** Body as text. Undefined if there is none, if it is not JSON, if the method is not POST, and after `parseBody` has removed it. */
  body: string | undefined;
  /** The request as a JSON value, in bindings whose requests are not text. Undefined after the binding has removed it. */
  message?: unknown;
  /** Length of the body in characters; undefined until it is parsed, and for a request that is not text. */
  bodyLength?: number | undefined;
  /** The caller, as far as the host knows it. The pipeline replaces it by the authenticated caller. */
  principal: Principal;
  /** The requested operation; undefined until it is known. For the log. */
  operation?: OperationName | undefined;
  /** The error code of a request that failed; undefined otherwise. For the log. */
  refusal?: ErrorCode | undefined;
  /** Absolute URL at which the caller reaches the agent, without a trailing slash. */
  readonly agentUrl: string;
  /** Aborted when the connection closes before the response is complete. Created on first use, because plain calls never need it. */
  readonly signal: AbortSignal;
  /** Counts the bytes of the response; without it responses are not limited. */
  readonly room?: AnswerRoom;
  /**
   * Called when a stream waits for its first event.
   * @param due called when the headers have to be sent before that event, and when the connection closes
   * @returns a function to call when the first event has arrived
   */
  whileSilent?(due: () => void): () => void;
}

/** The connection of a response, as far as limits use it. Node's `ServerResponse` implements it. */
export interface AnswerConnection {
  /** Whether the response was sent, or can no longer be sent. */
  readonly closed: boolean;
  /** Whether the whole response was sent. */
  readonly writableFinished: boolean;
  once(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/** Decides when a response may be written as JSON, so that responses that are not read do not fill the memory. */
export interface AnswerRoom {
  /**
   * Asks whether an operation that only reads may run. The size of its response is not known before.
   * @returns undefined if it may run now, as nearly always; otherwise a promise that resolves when it may. The promise rejects with
   *   UNAVAILABLE when the caller has left or the server stops
   */
  turn(): Promise<void> | undefined;
  /**
   * Asks whether the response of an operation may be written.
   *
   * @param repeatable whether the operation only reads. If its response has to wait, the response is dropped and the operation repeated
   * @returns undefined if it may be written now, as nearly always; otherwise a promise that resolves when it may. The promise rejects with
   *   RATE_LIMITED or UNAVAILABLE after too long a wait, and with UNAVAILABLE when the caller has left or the server stops
   * @throws A2AError RATE_LIMITED or UNAVAILABLE when a response that cannot be repeated finds too many bytes unsent
   */
  enter(answer: unknown, repeatable: boolean): Promise<void> | undefined;
  /** Asks whether an event of a stream may be written. Returns as {@link turn}. */
  next(event: unknown): Promise<void> | undefined;
  /** Resolves when the next part of a response may be written that takes several turns of the event loop. Rejects as {@link turn}. */
  goOn(bytes: number): Promise<void>;
  /** Counts written bytes as unsent. */
  wrote(length: number): void;
}

/** A complete response. The host adds only headers of HTTP itself and those that every response of the server has. */
export interface BodyReply {
  readonly status: number;
  /** Headers, with names in the usual spelling. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, which is sent as UTF-8, or bytes of UTF-8; null for no body. */
  readonly body: string | Uint8Array | null;
  /** Whether all readers get the same bytes in memory, which are therefore not counted as unsent. */
  readonly shared?: true;
}

/** A response of a binding whose messages are not text. The host writes them. */
export interface MessageReply extends BodyReply {
  readonly body: null;
  /** The response as a JSON value, or its error. */
  readonly message: unknown;
}

/** Optional methods of a source of events or frames, to read items without a promise for each. */
export interface ReadAhead<Item> {
  /** Whether items are kept until they are requested, as the log of a task does. The reader may then request them late. */
  readonly isKept?: boolean;
  /**
   * Takes the next item if it is available.
   * @returns undefined if it is not available yet, or if there is no further item
   */
  ready?(): Item | undefined;
  /** Whether there is no further item. */
  readonly isOver?: boolean;
  /**
   * Notifies a listener when the next item has arrived, or when none will. Creates no promise, unlike `next`, which must not be called
   * meanwhile.
   * @returns false if `next` has to be called instead, for example because the source cannot notify
   */
  listen?(listener: ArrivalListener): boolean;
}

/**
 * A streaming response. A frame is the text of one or more complete events, or another value that the binding's host can write. The body
 * ends when the iteration ends.
 */
export interface StreamReply<Frame = string> {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: AsyncIterable<Frame> & ReadAhead<Frame>;
}

/** The response to a request. */
export type HostResponse<Frame = string> = BodyReply | StreamReply<Frame>;
