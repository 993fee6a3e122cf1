import { isSettled, isTerminal } from "../../protocol/lifecycle.js";
import type { StreamResponse, Task } from "../../protocol/model.js";
import { generationOf } from "../../task-log/log.js";
import { type Backoff, delay, type Intervals, pause } from "../backoff.js";
import { ClientError, invalidResponse } from "../client-error.js";
import { askedDelay, isAbsent, isInterruption, isRemote } from "../connection-error.js";
import { Deadline } from "../deadline.js";
import { behindGap, type Gap } from "./gap.js";
import { gapError, type Position } from "./position.js";

/** The calls that a stream is made of. */
export interface StreamSource {
  /** Makes the call that begins the stream. */
  open(signal: AbortSignal): Promise<AsyncIterable<StreamResponse>>;
  /** Subscribes to the task of the stream, to go on after the event of this generation where the agent numbers events. */
  subscribe(
    from: Pick<Position, "taskId" | "contextId" | "generation">,
    signal: AbortSignal,
  ): Promise<AsyncIterable<StreamResponse>>;
  /** Reads the task of the stream. */
  read(taskId: string, signal: AbortSignal): Promise<Task>;
}

/** How a stream is followed. */
export interface FollowOptions {
  readonly position: Position;
  readonly signal: AbortSignal;
  /** How to come back after a cut; undefined ends the stream with the cut. */
  readonly resume: Backoff | undefined;
  /** How often a task is asked for that cannot be followed. */
  readonly polling: Intervals;
  readonly onGap: "report" | "throw";
  /** Whether the stream ends when the task asks for input, as that of a send does (§3.1.2). */
  readonly untilInput: boolean;
  /** The task to ask for at intervals when it cannot be subscribed to; undefined when the stream then fails. */
  readonly polled: string | undefined;
}

/** Seconds that an agent has for a closing snapshot after the event that ended the task (§11.7). */
const CLOSING = 2;

interface Connection {
  readonly events: AsyncIterable<StreamResponse>;
  readonly deadline: Deadline;
  /** Whether it is a subscription that took the place of another connection. */
  readonly isResumed: boolean;
}

/**
 * The events of a task across connections: each once and in order, whatever happens to a connection (§3.5.2). A cut, or an
 * end without a settled state (§3.5.2), leads to a new subscription; whether anything was missed is seen by comparing
 * its snapshot with the task folded so far (§3.5.2). A gap that cannot be closed is reported in its place.
 */
export async function* followStream(
  source: StreamSource,
  options: FollowOptions,
): AsyncGenerator<StreamResponse> {
  const { position } = options;
  const following = new Following(source, options);
  let connection: Connection | undefined = yield* following.begin();
  while (connection !== undefined) {
    const cut: unknown = yield* following.relay(connection);
    if (cut === undefined) break;
    connection = yield* following.comeBack(cut);
  }
  if (following.isDoubtful && position.settled) yield* following.verify();
}

class Following {
  /** Whether a snapshot stood in for numbers: what came may then differ from what was. */
  isDoubtful = false;
  readonly #source: StreamSource;
  readonly #options: FollowOptions;
  /** Attempts to come back since the last event. */
  #attempts = 0;

  constructor(source: StreamSource, options: FollowOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** Makes the first connection. Without a result the task was asked for at intervals instead, until nothing more was to come. */
  async *begin(): AsyncGenerator<StreamResponse, Connection | undefined> {
    const { signal, polled } = this.#options;
    const deadline = new Deadline(signal);
    try {
      return { events: await this.#source.open(deadline.signal), deadline: deadline, isResumed: false };
    } catch (error) {
      deadline.abort(error);
      if (polled === undefined || signal.aborted || !isAbsent(error)) throw error;
      return yield* this.#pollInstead(polled, error);
    }
  }

  /** Passes on the events of a connection. The result is what cut it; undefined when it ended in good order. */
  async *relay({ events, deadline, isResumed }: Connection): AsyncGenerator<StreamResponse, unknown> {
    const { position, signal } = this.#options;
    // Events that a snapshot showed already may come once more after it.
    let isSettling = isResumed && this.isDoubtful;
    try {
      if (position.ended) return undefined;
      for await (const event of events) {
        if (position.ended) {
          yield* this.#closing(event);
          return undefined;
        }
        if (position.repeats(event)) continue;
        isSettling &&= position.has(event);
        if (isSettling) {
          position.skip(event);
          continue;
        }
        this.#attempts = 0;
        position.take(event);
        yield event;
        if (position.message !== undefined) return undefined;
        if (!this.#isOver()) deadline.stop("idle");
        else if (isResumed && !position.ended) return undefined;
        else deadline.begin("idle", CLOSING);
      }
    } catch (error) {
      if (signal.aborted || !isInterruption(error)) throw error;
      return this.#isOver() ? undefined : error;
    } finally {
      deadline.abort(signal.reason);
    }
    return position.settled
      ? undefined
      : new ClientError("CONNECTION_LOST", "The stream ended before its task");
  }

  /** What may come after the end of the task: one snapshot of the ended task (§11.7). Everything else is left unread. */
  *#closing(event: StreamResponse): Generator<StreamResponse> {
    if (event.task === undefined || !isTerminal(event.task.status.state)) return;
    this.#options.position.take(event);
    yield event;
  }

  /** Subscribes until it works. Yields what is needed to be complete again; without a result there is nothing more to come. */
  async *comeBack(cut: unknown): AsyncGenerator<StreamResponse, Connection | undefined> {
    const { position, resume, signal } = this.#options;
    let reason = cut;
    for (;;) {
      if (resume === undefined || position.taskId === "" || this.#attempts >= resume.attempts)
        throw lost(reason);
      await pause(Math.max(delay(resume, this.#attempts), askedDelay(reason)), signal);
      this.#attempts += 1;
      try {
        const { connection, snapshot } = await this.#subscribe();
        if (snapshot !== undefined) yield* this.#report(snapshot, connection);
        return connection;
      } catch (error) {
        if (signal.aborted) throw error;
        if (isAbsent(error)) return yield* this.#poll(position.taskId);
        if (!isInterruption(error)) throw error;
        reason = error;
      }
    }
  }

  /** The task behind a gap, taken in and marked. */
  gap(event: StreamResponse, reason: Gap["reason"]): StreamResponse {
    const { position, onGap } = this.#options;
    if (onGap === "throw") throw gapError(position.taskId);
    const marked = behindGap(event, { reason, after: position.generation });
    this.#attempts = 0;
    position.reconnect();
    position.take(event);
    return marked;
  }

  /**
   * Subscribes, and compares the snapshot that comes first with what was folded.
   * @returns the snapshot when it shows something else
   */
  async #subscribe(): Promise<{ connection: Connection; snapshot?: StreamResponse }> {
    const { position, signal } = this.#options;
    const deadline = new Deadline(signal);
    try {
      const events = await this.#source.subscribe(position, deadline.signal);
      const iterator = events[Symbol.asyncIterator]();
      const { done, value: first } = await iterator.next();
      if (done) throw new ClientError("CONNECTION_LOST", "The subscription ended before it began");
      const { task } = first;
      if (task === undefined) {
        throw invalidResponse("The subscription does not open as it must", {
          expected: "the task",
          received: "an update",
        });
      }
      const connection = { events: { [Symbol.asyncIterator]: () => iterator }, deadline, isResumed: true };
      const isShown = position.shows(task);
      const isExact = position.generation !== undefined && position.generation === generationOf(first);
      this.isDoubtful ||= !(isShown && isExact);
      if (!isShown) return { connection, snapshot: first };
      position.reconnect(first);
      return { connection };
    } catch (error) {
      deadline.abort(error);
      throw error;
    }
  }

  /** Reports a gap in front of a connection, which is closed when the reader does not want to go on. */
  async *#report(snapshot: StreamResponse, { deadline }: Connection): AsyncGenerator<StreamResponse> {
    let isRead = false;
    try {
      yield this.gap(snapshot, "missed");
      isRead = true;
    } finally {
      if (!isRead) deadline.abort(undefined);
    }
  }

  #isOver(): boolean {
    const { position, untilInput } = this.#options;
    return position.ended || (untilInput && position.state === "TASK_STATE_INPUT_REQUIRED");
  }

  /** Compares what was folded with the task itself. */
  async *verify(): AsyncGenerator<StreamResponse> {
    const { position } = this.#options;
    const task = await this.#read(position.taskId);
    if (isSettled(task.status.state) && !position.shows(task)) yield this.gap({ task }, "diverged");
  }

  /**
   * Asks for a task that cannot be subscribed to.
   * @throws the agent's refusal when that is what it says to subscribers of a task that has ended (§3.1.6)
   */
  async *#pollInstead(taskId: string, refusal: unknown): AsyncGenerator<StreamResponse, undefined> {
    const { position, polling, signal } = this.#options;
    const task = await this.#read(taskId);
    if (isTerminal(task.status.state) && isRemote(refusal, "UNSUPPORTED_OPERATION")) throw refusal;
    position.take({ task });
    yield { task };
    if (position.ended) return undefined;
    await pause(delay(polling, 0), signal);
    return yield* this.#poll(taskId);
  }

  /** Asks for the task until nothing more is to come: it has ended already, or the agent has no subscriptions. */
  async *#poll(taskId: string): AsyncGenerator<StreamResponse, undefined> {
    const { position, signal, untilInput, polling } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const task = await this.#read(taskId);
      const isLast = untilInput ? isSettled(task.status.state) : isTerminal(task.status.state);
      if (!position.shows(task)) yield this.gap({ task }, isLast ? "ended" : "polled");
      if (isLast) return undefined;
      await pause(delay(polling, attempt), signal);
    }
  }

  /** Reads the task, also over a connection that keeps breaking. */
  async #read(taskId: string): Promise<Task> {
    const { signal, resume } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#source.read(taskId, signal);
      } catch (error) {
        if (signal.aborted || !isInterruption(error)) throw error;
        if (resume === undefined || attempt >= resume.attempts) throw lost(error);
        await pause(Math.max(delay(resume, attempt), askedDelay(error)), signal);
      }
    }
  }
}

function lost(cause: unknown): unknown {
  if (!(cause instanceof ClientError) || cause.code !== "CONNECTION_LOST") return cause;
  return new ClientError("CONNECTION_LOST", `${cause.message}, and could not be continued`, { cause });
}
