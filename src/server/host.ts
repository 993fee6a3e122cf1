import type { IncomingRequest } from "../auth/incoming-request.js";
import type { Principal } from "../protocol/call-context.js";
import type { ErrorCode } from "../protocol/errors.js";
import type { OperationName } from "../protocol/operations.js";
import type { ArrivalListener } from "../task-log/log-feed.js";

/**
 * A request as bindings and the pipeline see it, free of any HTTP framework. `ServerRequest` is the part of it that all hosts share.
 */
export interface HostRequest extends IncomingRequest {
  /**
   * Body as text; undefined when there was none, when its media type was not worth reading, and once {@link parseBody} has
   * taken it.
   */
  body: string | undefined;
  /** The request as a JSON value, on bindings whose requests are no text; undefined once the binding has taken it. */
  message?: unknown;
  /** Length of the body, once it was parsed. */
  bodyLength?: number | undefined;
  /** Who sends it, as far as the host knows. The pipeline puts the caller here that it has authenticated. */
  principal: Principal;
  /** The operation that is asked for, once it is known. For the log. */
  operation?: OperationName | undefined;
  /** Why the request was refused or failed. For the log. */
  refusal?: ErrorCode | undefined;
  /** Absolute URL at which the caller reaches the agent, without a slash at its end. */
  readonly agentUrl: string;
  /** Aborts when the connection goes away. Made when first asked for: plain calls never need it. */
  readonly signal: AbortSignal;
  /** Where the bytes of the answer are counted; without it there is room for any answer. */
  readonly room?: AnswerRoom;
  /**
   * Notes that a stream waits for its first event.
   * @param due called when the head of the stream has to be sent without one, and when the connection goes away
   * @returns ends the waiting
   */
  whileSilent?(due: () => void): () => void;
}

/** The connection on which an answer leaves, as far as limits need to know it. Node's `ServerResponse` is one. */
export interface AnswerConnection {
  /** Whether the answer has left, or cannot leave any more. */
  readonly closed: boolean;
  /** Whether the whole answer has left. */
  readonly writableFinished: boolean;
  once(event: "close", listener: () => void): unknown;
  off(event: "close", listener: () => void): unknown;
}

/** Decides when an answer may be written as JSON, so that answers that are not read do not fill the memory. */
export interface AnswerRoom {
  /**
   * Asks whether an operation that only reads may be carried out. Whether its answer is large is known only then.
   * @returns undefined when it may now, as nearly always; else a promise for when it may
   */
  turn(): Promise<void> | undefined;
  /**
   * Asks whether the answer of an operation may be written.
   *
   * @param repeatable the operation only reads: an answer that has to wait need not be kept, and is then asked for again
   * @returns undefined when it may be written now, as nearly always; else a promise for when it may
   * @throws A2AError RATE_LIMITED or UNAVAILABLE when it would have to be kept and too much is already. The promise rejects with
   *   the same when it has taken too long
   */
  enter(answer: unknown, repeatable: boolean): Promise<void> | undefined;
  /** Asks whether an event of a stream may be written. */
  next(event: unknown): Promise<void> | undefined;
  /** Resolves when more of an answer may be written that takes several turns of the event loop; rejects when its caller has left. */
  goOn(bytes: number): Promise<void>;
  /** Counts what was written. */
  wrote(length: number): void;
}

/** An answer that is complete. The host adds nothing but what HTTP itself needs. */
export interface BodyReply {
  readonly status: number;
  /** Header names in their usual spelling. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, sent as UTF-8, or bytes of such a text; null for no body. */
  readonly body: string | Uint8Array | null;
  /** The server keeps the body for all who read it: its bytes are not counted as unsent. */
  readonly shared?: true;
}

/** An answer of a binding whose messages are no text: the host writes them. */
export interface MessageReply extends BodyReply {
  readonly body: null;
  /** The answer as a JSON value, or its error. */
  readonly message: unknown;
}

/** What a source of events or frames may offer besides waiting for the next of them. */
export interface ReadAhead<Item> {
  /** Whether what comes is kept while it is not asked for, as by the log of a task. It may then be asked for when that suits. */
  readonly isKept?: boolean;
  /**
   * Takes the next item if it is there already, without a promise.
   * @returns undefined when it has to be waited for, or there is none
   */
  ready?(): Item | undefined;
  /** Whether there is no further item. */
  readonly isOver?: boolean;
  /**
   * Notifies a listener when the next item has arrived. Costs no promise, unlike `next`, which must not be called meanwhile.
   * @returns false when `next` has to be called, because the source cannot notify or has the item already
   */
  listen?(listener: ArrivalListener): boolean;
}

/**
 * An answer that goes on. A frame is the text of one or more whole events, or what else the binding gives its host to write. The end of
 * the iteration ends the body.
 */
export interface StreamReply<Frame = string> {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: AsyncIterable<Frame> & ReadAhead<Frame>;
}

export type HostResponse<Frame = string> = BodyReply | StreamReply<Frame>;
