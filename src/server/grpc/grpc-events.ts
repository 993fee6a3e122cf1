import { constants, type ServerHttp2Stream } from "node:http2";
import { A2AError, RETRY_SECONDS } from "../../protocol/errors.js";
import type { OpenStream, OpenStreams } from "../streams/open-streams.js";

type Events = AsyncIterator<object, undefined>;

/** What an {@link GrpcEvents} works with. */
interface GrpcEventsOptions {
  readonly events: AsyncIterable<object>;
  /** The stream that the events leave on. */
  readonly stream: ServerHttp2Stream;
  /** Aborts when the caller has left, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** The streams of the server, among which this one is until it is released. */
  readonly streams: Pick<OpenStreams, "add" | "delete">;
  /** Periods of {@link GrpcEvents.beat} for which a reader may take nothing. */
  readonly writePeriods: number;
}

/**
 * The events of an open stream, asked for as the connection takes them: while the flow control of HTTP/2 holds the stream back, the agent's
 * log keeps the rest. Whatever ends the stream first, the events, the caller, its deadline or a shutdown, the source is released.
 */
export class GrpcEvents implements OpenStream {
  readonly #options: GrpcEventsOptions;
  readonly #events: Events;
  #silence = 0;
  /** Ends what is waited for; undefined while the connection has not asked for the next event. */
  #settle: ((error?: A2AError) => void) | undefined;
  #isReleased = false;
  #ended: { readonly error: A2AError | undefined } | undefined;

  constructor(options: GrpcEventsOptions) {
    this.#options = options;
    this.#events = options.events[Symbol.asyncIterator]() as Events;
    options.signal.addEventListener("abort", this.#left);
    options.streams.add(this);
    if (options.signal.aborted) this.#left();
  }

  /**
   * The next event; undefined at the end.
   * @throws A2AError when the stream has failed, or the server stops
   */
  next(): Promise<object | undefined> {
    this.#silence = 0;
    return new Promise((resolve, reject) => {
      const settle = (error?: A2AError) => (error === undefined ? resolve(undefined) : reject(error));
      if (this.#ended !== undefined) return settle(this.#ended.error);
      this.#settle = settle;
      this.#events.next().then(
        ({ value }) => {
          this.#settle = undefined;
          this.#silence = 0;
          resolve(value);
        },
        (error: unknown) => {
          this.#settle = undefined;
          reject(error);
        },
      );
    });
  }

  /**
   * Keeps the connection in use, for proxies on the way. Ends a stream that had nothing to say for too long, and cuts one whose reader takes
   * nothing.
   */
  beat(maxSilence: number): void {
    const { stream, writePeriods } = this.#options;
    this.#silence += 1;
    const isStuck = this.#settle === undefined;
    if (isStuck && this.#silence > writePeriods) stream.close(constants.NGHTTP2_CANCEL);
    else if (!isStuck && this.#silence > maxSilence) this.#end(undefined);
    else if (!isStuck && this.#silence > 1) stream.session?.ping(ignore);
  }

  /** Ends the stream with a status that lets its reader go on elsewhere. */
  stop(): void {
    this.#end(new A2AError("UNAVAILABLE", undefined, { retryAfter: RETRY_SECONDS }));
  }

  /** Lets go of the events. Their producer may be in the middle of something: it is told, not waited for. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#options.streams.delete(this);
    this.#options.signal.removeEventListener("abort", this.#left);
    this.#events.return?.().catch(ignore);
  }

  #end(error: A2AError | undefined): void {
    this.#ended ??= { error };
    this.#settle?.(error);
    this.#settle = undefined;
  }

  // Nothing else releases a stream whose connection takes nothing when its reader leaves: the library waits for room for ever.
  readonly #left = (): void => {
    this.#end(undefined);
    this.release();
  };
}

function ignore(): void {
  // The answer to a PING, or the end of a source that is not read any more.
}
