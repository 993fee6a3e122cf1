import type { Message } from "../model.js";
import type { Turn } from "./turn.js";

/** Who wants to know whether the executor waits for its caller. */
export interface InboxListener {
  waiting(): void;
  resumed(): void;
}

/** Messages for a task whose executor is running: they wait for the next run, unless the executor is waiting for one. */
export class Inbox {
  readonly #turns: Turn[] = [];
  readonly #watch: InboxListener;
  #listener: ((message: Message) => void) | undefined;

  constructor(watch: InboxListener) {
    this.#watch = watch;
  }

  /** Whether no message waits for a run. */
  get empty(): boolean {
    return this.#turns.length === 0;
  }

  /** Whether the executor is waiting for a message. */
  get awaited(): boolean {
    return this.#listener !== undefined;
  }

  /** Puts a message in, or hands it to the executor that waits for it. */
  put(turn: Turn): void {
    const listener = this.#listener;
    this.#listener = undefined;
    if (listener) listener(turn.message);
    else this.#turns.push(turn);
  }

  /** Takes the next message for a run of its own. */
  take(): Turn | undefined {
    return this.#turns.shift();
  }

  /** Waits for the next message within a run; rejects when the signal aborts. */
  next(signal: AbortSignal): Promise<Message> {
    const turn = this.#turns.shift();
    if (turn !== undefined) return Promise.resolve(turn.message);
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
