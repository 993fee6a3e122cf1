import type { Logger } from "../../protocol/logger.js";
import type { Message, Received, SendMessageResponse, StreamResponse, Task } from "../../protocol/model.js";
import type { Backoff, Intervals } from "../backoff.js";
import { ClientError } from "../client-error.js";
import { Deadline } from "../deadline.js";
import { type FollowOptions, followStream, type StreamSource } from "./follow-stream.js";
import { afterGap } from "./gap.js";
import { gapError, Position } from "./position.js";

/** Options of a {@link TaskStream}. `FollowOptions` describes those without a comment. */
export interface TaskStreamOptions {
  /** The caller's signal. When it aborts, the stream fails with its reason. */
  readonly signal: AbortSignal | undefined;
  /** Maximum seconds for the whole stream, from when it begins; undefined for no limit. */
  readonly total: number | undefined;
  readonly resume: Backoff | undefined;
  readonly polling: Intervals;
  readonly onGap: "report" | "throw";
  /** Whether the agent is called in a version that has generations, by which events are checked. */
  readonly hasGenerations: boolean;
  readonly untilInput: boolean;
  readonly isReply: boolean;
  readonly instead: FollowOptions["instead"];
  /** Waits until the stream may begin, and returns a function that the stream calls at its end. */
  readonly turn: () => Promise<() => void>;
  /** Receives warnings about events that cannot be folded, and about chunks of unknown artifacts. */
  readonly logger: Logger;
}

/**
 * The events of a task, or the agent's plain message, as an async iterable that reconnects when a connection is cut (option `resume` of
 * `connect`). Nothing is sent before the iteration begins. A stream has one reader and is read once: leaving a `for await` loop closes the
 * connection, does not affect the task, and ends the stream, so that a second loop gets no events.
 *
 * `gapBefore(event)` tells whether events were missed before an event. The iteration throws RemoteError when the agent reports an error
 * after which the client cannot continue, and the reason of the caller's signal when it aborts. What interceptors and credential providers
 * throw is passed on. For other failures it throws ClientError: STREAM_GAP for missed events with `onGap: "throw"`, CONNECTION_LOST,
 * UNREACHABLE or TIMEOUT when there is no connection, or it breaks and cannot be resumed, TIMEOUT when the option `timeout` has passed, or
 * another code, such as INVALID_RESPONSE.
 *
 * @example
 * ```ts
 * const stream = client.stream("hello");
 * for await (const event of stream) console.log(event);
 * console.log(stream.task?.status.state);
 * ```
 */
export class TaskStream implements AsyncIterable<Received<StreamResponse>> {
  readonly #position: Position;
  readonly #events: AsyncGenerator<Received<StreamResponse>>;

  constructor(source: StreamSource, options: TaskStreamOptions) {
    this.#position = new Position(options.logger);
    this.#events = run(source, options, this.#position);
  }

  /**
   * The task, computed from the events so far; undefined until an event with a task has arrived. The object is frozen.
   */
  get task(): Received<Task> | undefined {
    return this.#position.task;
  }

  /** The agent's plain message; undefined until it has arrived. */
  get message(): Received<Message> | undefined {
    return this.#position.message;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Received<StreamResponse>> {
    return this.#events;
  }

  /**
   * Reads the stream to its end. A stream that the reader has left early, or that has failed, has ended there.
   * @returns the plain message if the agent has sent one, else the {@link task}
   * @example `const { task } = await client.stream("hello").result()`
   * @throws the errors of the iteration; ClientError CONNECTION_LOST when the stream ended without a task and without a message
   */
  async result(): Promise<Received<SendMessageResponse>> {
    for await (const _event of this.#events) {
      // Reading folds the events into the position.
    }
    const { task, message } = this;
    if (message !== undefined) return { message };
    if (task !== undefined) return { task };
    throw new ClientError("CONNECTION_LOST", "The stream ended without a task and without a message");
  }
}

async function* run(
  source: StreamSource,
  { total, signal, turn, hasGenerations, ...options }: TaskStreamOptions,
  position: Position,
): AsyncGenerator<Received<StreamResponse>> {
  const done = await turn();
  const deadline = new Deadline(signal);
  deadline.start("total", total);
  try {
    const checked = hasGenerations
      ? (await import("./count-generations.js")).countingSource(source, { ...options, afterGap, gapError })
      : source;
    yield* followStream(checked, { ...options, position, signal: deadline.signal });
  } finally {
    deadline.close();
    done();
  }
}
