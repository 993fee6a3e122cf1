import type { Message } from "../../protocol/model.js";
import type { Invocation } from "./invocation.js";

/** Who wants to know whether the executor waits for its caller. */
export interface InboxListener {
  waiting(): void;
  resumed(): void;
}

/** A message that is in the log, or about to be. */
export interface QueuedMessage {
  readonly turn: Invocation;
  /** The generation that records it, once it is durable. */
  readonly generation: () => number;
}

/** Messages for a task whose executor is running: they wait for the next run, unless the executor is waiting for one. */
export class Inbox {
  readonly #arrivals: QueuedMessage[] = [];
  readonly #watch: InboxListener;
  #listener: ((message: Message) => void) | undefined;

  constructor(watch: InboxListener) {
    this.#watch = watch;
  }

  /** Whether no message waits for a run. */
  get empty(): boolean {
    return this.#arrivals.length === 0;
  }

  /** Whether the executor is waiting for a message. */
  get awaited(): boolean {
    return this.#listener !== undefined;
  }

  /** Puts a message in, or hands it to the executor that waits for it. */
  put(arrival: QueuedMessage): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener) listener(arrival.turn.message);
    else this.#arrivals.push(arrival);
  }

  /** Takes the next message for a run of its own. */
  take(): QueuedMessage | undefined {
    return this.#arrivals.shift();
  }

  /** Waits for the next message within a run; rejects when the signal aborts. */
  next(signal: AbortSignal): Promise<Message> {
    const arrival = this.#arrivals.shift();
    if (arrival !== undefined) return Promise.resolve(arrival.turn.message);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      this.#listener = (message) => {
        signal.removeEventListener("abort", stop);
        this.#watch.resumed();
        resolve(message);
      };
      this.#watch.waiting();
    });
  }

  /** The run is over: nobody waits any more. */
  close(): void {
    this.#listener = undefined;
  }
}
