import { LONGEST_TIMEOUT } from "../async/clock.js";
import { ClientError } from "./client-error.js";

/**
 * Calls a function after a delay, which may be longer than timers of the platform allow.
 * @param seconds the delay; with `Infinity` the function is never called
 * @returns a function that stops the timer
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

/**
 * Time limits of calls, streams and requests for cards, in seconds; `Infinity` for none.
 *
 * @example
 * ```ts
 * const client = await connect(url, { timeouts: { connect: 5, total: 60 } });
 * ```
 */
export interface TimeLimits {
  /**
   * Until the response headers arrive. Does not apply to plain sends, reads that wait for a change of the task, and streams over gRPC,
   * because their responses wait for the agent's work.
   */
  readonly connect?: number | undefined;
  /**
   * Maximum silence on an open stream. Any byte counts, including comments. After it the client subscribes again, as after a cut
   * connection. Over gRPC only a limit below 15 seconds has an effect, because the client itself adds a comment every 15 seconds.
   */
  readonly idle?: number | undefined;
  /**
   * Maximum time without an event on a stream that comments keep open. After it the client subscribes again as well.
   */
  readonly event?: number | undefined;
  /**
   * For a unary call including its retries, from when its credentials are available, and for each request for a card. Streams have no such
   * limit unless the call sets `timeout`. It applies to the plain send and the reads that replace a stream, and, for a streaming
   * call, to the body of a response that is not a stream.
   */
  readonly total?: number | undefined;
}

/** The name of a limit. */
type Limit = keyof TimeLimits;

/**
 * Time limits as one abort signal. Close it at the end, because its timers keep the process alive.
 */
export class Deadline {
  readonly #controller = new AbortController();
  /** The running limits: when each ends, in milliseconds since 1970, and a function that stops its timer. */
  readonly #limits = new Map<Limit, { readonly end: number; readonly stop: () => void }>();
  readonly #outer: AbortSignal | undefined;
  readonly #within: Deadline | undefined;
  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason);

  /**
   * @param outer the caller's signal; when it aborts, this signal aborts with the same reason
   * @param within a deadline with that signal, of which this one is a part
   */
  constructor(outer?: AbortSignal, within?: Deadline) {
    this.#outer = outer;
    this.#within = within;
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener("abort", this.#follow);
  }

  /** Aborts with ClientError TIMEOUT when a limit is exceeded, and with the reason of the caller's signal or of {@link abort}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds until the first of the running limits ends, those of `within` included; `Infinity` without any. */
  get left(): number {
    let left = this.#within?.left ?? Number.POSITIVE_INFINITY;
    for (const { end } of this.#limits.values()) left = Math.min(left, end - Date.now());
    return left;
  }

  /** Starts or restarts a limit. With undefined, or after the signal has aborted, it only stops the limit. */
  start(limit: Limit, seconds: number | undefined): void {
    this.stop(limit);
    if (seconds === undefined || this.signal.aborted) return;
    const expire = (): void => this.#controller.abort(timeout(limit, seconds));
    const end = Date.now() + seconds * 1000;
    this.#limits.set(limit, { end, stop: startTimer(seconds, expire) });
  }

  /** Starts a limit unless it is running. */
  begin(limit: Limit, seconds: number): void {
    if (!this.#limits.has(limit)) this.start(limit, seconds);
  }

  stop(limit: Limit): void {
    this.#limits.get(limit)?.stop();
    this.#limits.delete(limit);
  }

  /** Stops all limits and detaches from the caller's signal. */
  close(): void {
    for (const limit of this.#limits.keys()) this.stop(limit);
    this.#outer?.removeEventListener("abort", this.#follow);
  }

  /** Closes the deadline and aborts its signal. */
  abort(reason: unknown): void {
    this.close();
    this.#controller.abort(reason);
  }
}

const texts: Readonly<Record<Limit, string>> = {
  connect: "The agent has not begun to answer",
  idle: "The stream sent nothing",
  event: "The stream had no event",
  total: "The call has not ended",
};

/** The error for an exceeded limit. */
export function timeout(limit: Limit, seconds: number): ClientError {
  return new ClientError("TIMEOUT", `${texts[limit]} within ${seconds} seconds (time limit "${limit}")`);
}
