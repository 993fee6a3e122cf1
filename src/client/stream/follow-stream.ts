import { isSettled, isTerminal } from "../../protocol/lifecycle.js";
import type { Received, SendMessageResponse, StreamResponse, Task } from "../../protocol/model.js";
import { generationOf } from "../../task-log/log.js";
import { type Backoff, delay, type Intervals, pause, pausePolling } from "../backoff.js";
import { ClientError, invalidResponse } from "../client-error.js";
import { isAbsent, isRemote, isTransient, requestedDelay } from "../connection-error.js";
import { Deadline } from "../deadline.js";
import { afterGap, type Gap } from "./gap.js";
import { gapError, type Position } from "./position.js";

/** Yields events of a stream, and returns a result. */
type Events<Result = void> = AsyncGenerator<Received<StreamResponse>, Result>;

/** The calls that a stream makes. */
export interface StreamSource {
  /** Makes the call that begins the stream. */
  open(signal: AbortSignal): Promise<AsyncIterable<Received<StreamResponse>>>;
  /** Subscribes to the task, resuming after the event of this generation if the agent numbers events. */
  subscribe(
    from: Pick<Position, "taskId" | "contextId" | "generation">,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Received<StreamResponse>>>;
  /** Reads the task of the stream. */
  read(taskId: string, signal: AbortSignal): Promise<Received<Task>>;
}

/** Options of {@link followStream}. */
export interface FollowOptions {
  readonly position: Position;
  readonly signal: AbortSignal;
  /** Delays and maximum number of consecutive attempts to reconnect, and of retries when the task is read; undefined for none. */
  readonly resume: Backoff | undefined;
  /** Intervals at which a task is polled if it cannot be subscribed to. */
  readonly polling: Intervals;
  /** Whether a gap is reported and the stream continues, or the stream fails with STREAM_GAP. */
  readonly onGap: "report" | "throw";
  /** Whether the stream ends, like that of a send (§3.1.2), when the task asks for input or, if it is polled, for authorization. */
  readonly untilInput: boolean;
  /** Whether the stream is that of a message to an existing task. Its first event may show the question that the message answers. */
  readonly isReply: boolean;
  /**
   * Replaces the call that begins the stream if the agent does not support it: makes a plain send (§5.2), or is the id of the task to read.
   * The task is polled afterwards. If undefined, the stream fails.
   */
  readonly instead: string | ((signal: AbortSignal) => Promise<Received<SendMessageResponse>>) | undefined;
}

/** Maximum seconds for which the client waits, after the event that ends the stream, for a closing snapshot (§11.7) or the connection's end. */
const CLOSING = 2;
/** Maximum milliseconds for which the question in the first event of a reply counts as old. A further event ends this earlier. */
const OLD = 60_000;

interface Connection {
  readonly events: AsyncIterable<Received<StreamResponse>>;
  readonly deadline: Deadline;
  /** Whether this is a subscription that replaces an earlier connection. */
  readonly isResumed: boolean;
  /** The first event of a subscription, if its task differs from the folded one. The `events` of a subscription are those after the first. */
  readonly snapshot?: Received<StreamResponse> | undefined;
}

/**
 * The events of a task, in order, across connections (§3.5.2). When a connection is cut or ends too early, the client subscribes again,
 * as the option `resume` allows. If the first snapshot then differs from the folded task, the client reports a gap.
 *
 * @throws the errors of the source after which the stream cannot be resumed; ClientError INVALID_RESPONSE for a stream or subscription that
 * does not begin as the protocol says, CONNECTION_LOST for one that ends too early, STREAM_GAP if `onGap` is `"throw"`; the reason of the
 * signal
 */
export async function* followStream(source: StreamSource, options: FollowOptions): Events {
  const { position } = options;
  const following = new Following(source, options);
  let connection: Connection | undefined = yield* following.begin();
  while (connection !== undefined) {
    const cut: unknown = yield* following.relay(connection);
    if (cut === undefined) break;
    connection = yield* following.reconnect(cut);
  }
  if (following.mayDiffer && position.settled) yield* following.verify();
}

/** The state of {@link followStream}, and its steps, which throw the errors listed there. */
class Following {
  /** Whether a snapshot differed, or was not confirmed by its generation, so that the folded task may differ from the agent's. */
  mayDiffer = false;
  readonly #source: StreamSource;
  readonly #options: FollowOptions;
  /** Attempts to reconnect since the last new event, not counting incomplete events. */
  #attempts = 0;
  /** Milliseconds since 1970 until which the question in the first event of a reply counts as old; otherwise 0. */
  #oldUntil = 0;

  constructor(source: StreamSource, options: FollowOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Opens the first connection; returns undefined if other calls have replaced the stream. */
  async *begin(): Events<Connection | undefined> {
    const { signal, instead } = this.#options;
    const deadline = new Deadline(signal);
    try {
      return { events: await this.#source.open(deadline.signal), deadline, isResumed: false };
    } catch (error) {
      deadline.abort(error);
      if (instead === undefined || signal.aborted || !isAbsent(error)) throw error;
      return yield* this.#replace(instead, error);
    }
  }

  /**
   * Yields the new events of a connection, after the gap if its snapshot differs. Closes the connection, also when the reader leaves.
   * @returns the error after which the client has to reconnect; undefined when the stream is over
   * @throws an error that is not transient, unless the task has ended; the errors of {@link gap}; the reason of the signal
   */
  async *relay({ events, deadline, isResumed, snapshot }: Connection): Events<unknown> {
    const { position, signal, isReply } = this.#options;
    // Events that are part of the snapshot may be repeated after it.
    let isSettling = isResumed && this.mayDiffer;
    try {
      if (snapshot !== undefined) yield this.gap(snapshot, "missed");
      if (this.#left() <= 0) return undefined;
      deadline.start("event", this.#left());
      for await (const event of events) {
        if (position.ended) {
          // Only a snapshot of the ended task may follow (§11.7).
          if (event.task === undefined || !isTerminal(event.task.status?.state)) return undefined;
          position.fold(event);
          yield event;
          return undefined;
        }
        if (position.repeats(event)) continue;
        isSettling &&= position.has(event);
        if (isSettling) {
          position.skip(event);
          continue;
        }
        this.#oldUntil = isReply && position.taskId === "" ? Date.now() + OLD : 0;
        if (position.fold(event)) this.#attempts = 0;
        // The wait for the next event is not limited while the reader has this one, unless the stream is over.
        deadline.stop("event");
        if (this.#left() > 0) deadline.stop("idle");
        yield event;
        if (position.message !== undefined) return undefined;
        if (this.#left() > 0) deadline.start("event", this.#left());
        else if (isResumed && !position.ended) return undefined;
        else deadline.begin("idle", CLOSING);
      }
    } catch (error) {
      if (signal.aborted || !(position.ended || isTransient(error))) throw error;
      return this.#left() <= 0 || deadline.signal.aborted ? undefined : error;
    } finally {
      deadline.abort(signal.reason);
    }
    if (position.settled) return undefined;
    return new ClientError("CONNECTION_LOST", "The stream ended before its task");
  }

  /**
   * Subscribes again, until an attempt succeeds. If the task cannot be subscribed to, polls it until the stream is over, yields its changes,
   * and returns undefined.
   * @param cut the error after which the client reconnects
   * @throws the last transient error when no attempt is left or possible; an error that is not transient; ClientError STREAM_GAP from
   * polling if `onGap` is `"throw"`; the reason of the signal
   */
  async *reconnect(cut: unknown): Events<Connection | undefined> {
    const { position, signal } = this.#options;
    if (position.taskId === "") throw lost(cut);
    let reason = cut;
    for (;;) {
      await this.#pause(this.#attempts++, reason);
      try {
        return await this.#subscribe();
      } catch (error) {
        if (signal.aborted) throw error;
        if (isAbsent(error)) return yield* this.#poll(position.taskId);
        if (!isTransient(error)) throw error;
        reason = error;
      }
    }
  }

  /**
   * Folds the snapshot after a gap, and returns it with a mark.
   * @throws ClientError STREAM_GAP if `onGap` is `"throw"`
   */
  gap(event: Received<StreamResponse>, reason: Gap["reason"]): Received<StreamResponse> {
    const { position, onGap } = this.#options;
    if (onGap === "throw") throw gapError(position.taskId);
    const marked = afterGap(event, { reason, after: position.generation });
    this.#oldUntil = 0;
    position.reconnect();
    if (position.fold(event)) this.#attempts = 0;
    return marked;
  }

  /**
   * Subscribes, and compares the first snapshot with the folded task.
   * @returns the connection, with the snapshot if it differs
   * @throws ClientError CONNECTION_LOST for a subscription without an event, INVALID_RESPONSE for one that does not begin with the task;
   * the errors of the source
   */
  async #subscribe(): Promise<Connection> {
    const { position, signal } = this.#options;
    const deadline = new Deadline(signal);
    try {
      const events = await this.#source.subscribe(position, deadline.signal);
      const iterator = events[Symbol.asyncIterator]();
      const { done, value: first } = await iterator.next();
      if (done) throw new ClientError("CONNECTION_LOST", "The subscription ended before its first event");
      const { task } = first;
      const begins = { expected: "the task", received: "another event" };
      if (task === undefined) throw invalidResponse("The subscription does not begin with the task", begins);
      const isShown = position.matches(task);
      const isExact = position.generation !== undefined && position.generation === generationOf(first);
      this.mayDiffer ||= !(isShown && isExact);
      if (isShown) position.reconnect(first);
      const rest = { [Symbol.asyncIterator]: () => iterator };
      return { events: rest, deadline, isResumed: true, snapshot: isShown ? undefined : first };
    } catch (error) {
      deadline.abort(error);
      throw error;
    }
  }

  /** Seconds until the stream is over if no event follows; 0 or less if it is over, `Infinity` if it continues. */
  #left(): number {
    const { position, untilInput } = this.#options;
    if (position.ended) return 0;
    const asks = untilInput && position.state === "TASK_STATE_INPUT_REQUIRED";
    return asks ? (this.#oldUntil - Date.now()) / 1000 : Number.POSITIVE_INFINITY;
  }

  /** Reads the task, and reports a gap if the task is settled and the folded task differs. */
  async *verify(): Events {
    const { position } = this.#options;
    const task = await this.#read(position.taskId);
    if (isSettled(task.status?.state) && !position.matches(task)) yield this.gap({ task }, "diverged");
  }

  /**
   * Makes the call that replaces the one that begins the stream, and polls the task.
   * @throws the agent's refusal, if it is the one for subscribers of an ended task (§3.1.6); the errors of the call and of polling
   */
  async *#replace(instead: NonNullable<FollowOptions["instead"]>, refusal: unknown): Events<undefined> {
    const { position, polling, signal, untilInput } = this.#options;
    const isRead = typeof instead === "string";
    const answer = isRead ? { task: await this.#read(instead) } : await instead(signal);
    const { task } = answer;
    position.fold(answer);
    if (isRead && position.ended && isRemote(refusal, "UNSUPPORTED_OPERATION")) throw refusal;
    yield answer;
    if (task === undefined || (untilInput ? position.settled : position.ended)) return undefined;
    await pausePolling(polling, 0, signal);
    return yield* this.#poll(isRead ? instead : task.id);
  }

  /** Polls the task until it has ended or, with `untilInput`, has settled. Reports each change as a gap. */
  async *#poll(taskId: string): Events<undefined> {
    const { position, signal, untilInput, polling } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const task = await this.#read(taskId);
      const isLast = (untilInput ? isSettled : isTerminal)(task.status?.state);
      if (!position.matches(task)) yield this.gap({ task }, isLast ? "ended" : "polled");
      if (isLast) return undefined;
      await pausePolling(polling, attempt, signal);
    }
  }

  /** Reads the task, with retries after transient failures. A lenient client may get one without a status: it has not settled. */
  async #read(taskId: string): Promise<Received<Task>> {
    const { signal } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#source.read(taskId, signal);
      } catch (error) {
        if (signal.aborted || !isTransient(error)) throw error;
        await this.#pause(attempt, error);
      }
    }
  }

  /**
   * Waits before the next attempt after a transient failure.
   * @param attempt 0 for the first repetition
   * @throws the failure when no attempt is left; the reason of the signal
   */
  async #pause(attempt: number, failure: unknown): Promise<void> {
    const { resume, signal } = this.#options;
    if (resume === undefined || attempt >= resume.attempts) throw lost(failure);
    await pause(Math.max(delay(resume, attempt), requestedDelay(failure)), signal);
  }
}

function lost(cause: unknown): unknown {
  if (!(cause instanceof ClientError) || cause.code !== "CONNECTION_LOST") return cause;
  return new ClientError("CONNECTION_LOST", `${cause.message}, and could not be continued`, { cause });
}
