import { LONGEST_TIMEOUT } from "../async/timeout.js";
import { ClientError } from "./client-error.js";

/**
 * Runs something after a delay of any length.
 * @param seconds `Infinity` never comes
 * @returns stops the timer
 */
export function startTimer(seconds: number, run: () => void): () => void {
  if (seconds === Number.POSITIVE_INFINITY) return () => undefined;
  let timer: ReturnType<typeof setTimeout>;
  let left = seconds * 1000;
  const wait = (): void => {
    const step = Math.min(left, LONGEST_TIMEOUT);
    left -= step;
    timer = setTimeout(left > 0 ? wait : run, step);
  };
  wait();
  return () => clearTimeout(timer);
}

/** Limits of one exchange with an agent, in seconds; `Infinity` is none. */
export interface TimeLimits {
  /** Until the head of an answer is there; not for plain sends, which wait for the agent's work. */
  readonly connect?: number;
  /** Without a byte on an open stream; comments count as signs of life. */
  readonly idle?: number;
  /** Without an event on an open stream, whatever comments come; then the client subscribes anew, as after a cut. */
  readonly event?: number;
  /** For a plain call as a whole, repetitions included. Streams have none unless the call itself sets one. */
  readonly total?: number;
}

/** Which limit. */
type Limit = keyof TimeLimits;

/**
 * The time limits of one exchange on one abort signal: whatever waits for the exchange gives it this signal. Must be closed,
 * or its timers keep a process alive.
 */
export class Deadline {
  readonly #controller = new AbortController();
  /** What stops the timers of the limits that are running. */
  readonly #timers = new Map<Limit, () => void>();
  readonly #outer: AbortSignal | undefined;
  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason);

  /** @param outer the caller's signal; its reason becomes this one's */
  constructor(outer?: AbortSignal) {
    this.#outer = outer;
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener("abort", this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a limit, or starts it anew. Undefined is no limit. */
  start(limit: Limit, seconds: number | undefined): void {
    this.stop(limit);
    if (seconds === undefined || this.signal.aborted) return;
    const expire = (): void => this.#controller.abort(timeout(limit, seconds));
    this.#timers.set(limit, startTimer(seconds, expire));
  }

  /** Starts a limit unless it is running. */
  begin(limit: Limit, seconds: number): void {
    if (!this.#timers.has(limit)) this.start(limit, seconds);
  }

  stop(limit: Limit): void {
    this.#timers.get(limit)?.();
    this.#timers.delete(limit);
  }

  /** Stops all limits and lets go of the caller's signal. */
  close(): void {
    for (const limit of this.#timers.keys()) this.stop(limit);
    this.#outer?.removeEventListener("abort", this.#follow);
  }

  /** Closes and gives up what is still under way. */
  abort(reason: unknown): void {
    this.close();
    this.#controller.abort(reason);
  }
}

const texts: Readonly<Record<Limit, string>> = {
  connect: "The agent has not begun to answer",
  idle: "The stream was silent",
  event: "The stream brought no event",
  total: "The call has not ended",
};

/** The failure of an exchange that a limit has ended. */
export function timeout(limit: Limit, seconds: number): ClientError {
  return new ClientError("TIMEOUT", `${texts[limit]} within ${seconds} seconds (time limit "${limit}")`);
}
