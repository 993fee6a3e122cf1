import type { IncomingRequest } from "../auth/incoming-request.js";
import type { Principal } from "../protocol/call-context.js";

/**
 * A request as a binding sees it, free of any HTTP framework. An adapter fills it in; everything protocol is decided
 * behind it.
 */
export interface HostRequest extends IncomingRequest {
  /**
   * Body as text; undefined when there was none, when its media type was not worth reading, and once {@link parseBody} has
   * taken it.
   */
  body: string | undefined;
  /** Who sends it, as far as the adapter knows. An agent that finds out itself puts its answer here. */
  principal: Principal;
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

/** An answer that is complete. The adapter adds nothing but what HTTP itself needs. */
export interface BodyReply {
  readonly status: number;
  /** Header names in their usual spelling. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, sent as UTF-8, or bytes of such a text; null for no body. */
  readonly body: string | Uint8Array | null;
}

/** An answer that goes on: each chunk is one or more whole event frames. The end of the iteration ends the body. */
export interface StreamReply {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: AsyncIterable<string>;
}

export type HostResponse = BodyReply | StreamReply;
