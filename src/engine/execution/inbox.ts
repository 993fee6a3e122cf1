import type { Logger } from "../../protocol/logger.js";
import type { Message } from "../../protocol/model.js";
import type { StoredEntry } from "../../stores/task-store.js";
import type { TaskLog } from "../task-log.js";
import { type Invocation, recordedInvocation } from "./invocation.js";

/** A message that is in the log, or about to be. */
export interface QueuedMessage {
  readonly invocation: Invocation;
  /** The generation that records the message; known once that is durable. */
  readonly generation: () => number;
}

const ignore = (): void => undefined;

/** The queue of messages for a task whose executor is at work. They wait for the next run, unless the executor asks for one. */
export class Inbox {
  readonly #queue: QueuedMessage[] = [];
  readonly #onWait: (isWaiting: boolean) => void;
  #listener: ((message: Message) => void) | undefined;

  /** @param onWait called when the executor begins to wait for a message, and when it gets the message */
  constructor(onWait: (isWaiting: boolean) => void) {
    this.#onWait = onWait;
  }

  /** Whether the queue is empty. */
  get empty(): boolean {
    return this.#queue.length === 0;
  }

  /** Whether the executor waits for a message. */
  get awaited(): boolean {
    return this.#listener !== undefined;
  }

  /** Queues a message, or hands it to the executor that waits for one. */
  put(queued: QueuedMessage): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener) listener(queued.invocation.message);
    else this.#queue.push(queued);
  }

  /** Takes the first message of the queue, for a run of its own. */
  take(): QueuedMessage | undefined {
    return this.#queue.shift();
  }

  /** Gives the executor the first message of the queue, or the next to arrive. Rejects when the signal aborts. */
  next(signal: AbortSignal): Promise<Message> {
    const queued = this.#queue.shift();
    if (queued !== undefined) return Promise.resolve(queued.invocation.message);
    const message = new Promise<Message>((resolve, reject) => {
      signal.throwIfAborted();
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      this.#listener = (message) => {
        signal.removeEventListener("abort", stop);
        this.#onWait(false);
        resolve(message);
      };
      this.#onWait(true);
    });
    // An executor may leave the message: a rejection that nothing takes would end the process.
    message.catch(ignore);
    return message;
  }

  /** Ends the run's wait for a message, if the executor left one open: later messages are queued. */
  close(): void {
    this.#listener = undefined;
  }
}

/** The message that a log entry records, possibly written by another process; undefined if it records none. */
export async function queuedEntry(
  entry: StoredEntry,
  log: TaskLog,
  logger: Logger,
): Promise<QueuedMessage | undefined> {
  const message = entry.message ?? entry.event.task?.history?.at(-1);
  if (message === undefined) return undefined;
  const invocation = await recordedInvocation(entry, message, log, logger);
  return { invocation, generation: () => entry.generation };
}
