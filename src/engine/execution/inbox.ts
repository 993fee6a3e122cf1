import type { Countdown } from "../../async/deadlines.js";
import type { Message } from "../../protocol/model.js";
import type { StoredEntry } from "../../stores/task-store.js";
import type { EngineOptions, MessageHold } from "../engine-options.js";
import type { TaskLog } from "../task-log.js";
import { type Invocation, recordedInvocation } from "./invocation.js";

/** A message for the executor. */
export interface QueuedMessage {
  readonly invocation: Invocation;
  /** Returns the generation that records the message, once that is durable. */
  readonly generation: () => number;
  /** Set for the first message while it is executed for the first time: its executor gets no task. Absent when it is executed again. */
  readonly isOpening?: true;
}

const RUN_ENDED = "The run has ended and gets no more messages: wait for them before the executor ends";

const ignore = (): void => undefined;

/** Returns a promise that the executor may ignore. Node would otherwise end the process because of an unhandled rejection. */
function handled(message: Promise<Message>): Promise<Message> {
  message.catch(ignore);
  return message;
}

/** The queue of messages of one execution. They wait for the next run, unless the executor asks for one. */
export class Inbox {
  readonly #queue: QueuedMessage[] = [];
  readonly #countdown: Countdown | undefined;
  /** The current run of the executor; undefined between runs. */
  #run: object | undefined;
  #listener: ((queued: QueuedMessage) => void) | undefined;
  /** The hold of the last message that the executor asked for. */
  #given: MessageHold | undefined;
  #isClosed = false;

  /**
   * @param countdown the time limit of the work on one message; the time does not run while a call of {@link next} is pending, and starts
   * again with each message that the executor gets, and when a call is withdrawn
   */
  constructor(countdown?: Countdown) {
    this.#countdown = countdown;
  }

  /** Whether the queue is empty. */
  get empty(): boolean {
    return this.#queue.length === 0;
  }

  /** Whether a call of {@link next} is pending. The executor may have stopped waiting for it. */
  get awaited(): boolean {
    return this.#listener !== undefined;
  }

  /** Queues a message, or passes it to the pending call of {@link next}. The inbox releases its hold, unless `receive` returns it. */
  put(queued: QueuedMessage): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (this.#isClosed) dropMessages([queued]);
    else if (listener) listener(queued);
    else this.#queue.push(queued);
  }

  /** Takes the first message of the queue, if there is one. The caller of this method releases its hold after the run. */
  receive(): QueuedMessage | undefined {
    return this.#queue.shift();
  }

  /**
   * Resolves with the first message of the queue, or the next one to arrive. Only one call may be pending at a time.
   * @param run the run that calls
   * @param signal the signal of the execution
   * @param withdrawal withdraws the call when it aborts: later messages are queued, and the time starts again
   * @throws the reason of the signal that aborts before there is a message, or of a `withdrawal` that has aborted before the call;
   * Error if the run has ended
   */
  next(run: object, signal: AbortSignal, withdrawal?: AbortSignal): Promise<Message> {
    if (withdrawal?.aborted) return handled(Promise.reject(withdrawal.reason));
    if (run !== this.#run)
      return handled(Promise.reject(signal.aborted ? signal.reason : new Error(RUN_ENDED)));
    const queued = this.#queue.shift();
    if (queued !== undefined) {
      this.#countdown?.begin();
      return Promise.resolve(this.#give(queued));
    }
    const message = new Promise<Message>((resolve, reject) => {
      signal.throwIfAborted();
      const forget = () => {
        signal.removeEventListener("abort", stop);
        withdrawal?.removeEventListener("abort", withdraw);
      };
      const stop = () => {
        forget();
        if (this.#listener === take) this.#listener = undefined;
        reject(signal.reason);
      };
      const withdraw = () => {
        forget();
        // After the end of the run, there is no listener and no time to start.
        if (this.#listener === take) {
          this.#listener = undefined;
          this.#countdown?.begin();
        }
        reject(withdrawal?.reason);
      };
      const take = (arrived: QueuedMessage) => {
        forget();
        this.#countdown?.begin();
        resolve(this.#give(arrived));
      };
      withdrawal?.addEventListener("abort", withdraw);
      signal.addEventListener("abort", stop);
      this.#listener = take;
      this.#countdown?.end();
    });
    return handled(message);
  }

  /** Begins a run of the executor: its time starts, and only this run may call {@link next}. */
  beginRun(run: object): void {
    this.#run = run;
    this.#countdown?.begin();
  }

  /** Ends the run: a pending call of {@link next} gets no message, and later messages are queued. */
  endRun(): void {
    this.#run = undefined;
    this.#countdown?.end();
    this.#listener = undefined;
    this.#given?.release();
    this.#given = undefined;
  }

  /** Drops the queued messages of an execution that has ended, and those that are put later: a read of the log may be under way. */
  close(): void {
    this.#isClosed = true;
    dropMessages(this.#queue.splice(0));
  }

  /** Returns a message for the executor, and releases the hold of the previous one. */
  #give({ invocation: { message, hold } }: QueuedMessage): Message {
    this.#given?.release();
    this.#given = hold;
    return message;
  }
}

/**
 * The messages that log entries record; another node may have written the entries. The caller of this function queues or drops them.
 * @throws what the store throws; no message is counted then
 */
export async function recordedMessages(
  entries: Iterable<StoredEntry> | AsyncIterable<StoredEntry>,
  log: TaskLog,
  options: Pick<EngineOptions, "logger" | "messageLimiter">,
): Promise<readonly QueuedMessage[]> {
  const messages: QueuedMessage[] = [];
  try {
    for await (const entry of entries) {
      const message = entry.message ?? entry.event.task?.history?.at(-1);
      if (message === undefined) continue;
      const invocation = await recordedInvocation(entry, message, log, options);
      messages.push({ invocation, generation: () => entry.generation });
    }
  } catch (error) {
    dropMessages(messages);
    throw error;
  }
  return messages;
}

/** Releases the holds of messages that no executor will get. */
export function dropMessages(messages: readonly QueuedMessage[]): void {
  for (const { invocation } of messages) invocation.hold?.release();
}
