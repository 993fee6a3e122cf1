import { A2AError, RETRY_SECONDS } from "../../protocol/errors.js";
import { type OutgoingAnswer, slicesOf } from "../outgoing/outgoing-answer.js";
import type { OpenStream, OpenStreams } from "../streams/open-streams.js";
import type { GrpcExchange } from "./grpc-exchange.js";

type Events = AsyncIterator<object, undefined>;

/** What a {@link GrpcEvents} works with. */
interface GrpcEventsOptions {
  readonly events: AsyncIterable<object>;
  /** Converts an event to the bytes of its frame. */
  readonly frame: (event: object) => Uint8Array;
  /** The exchange on which the events leave. Its headers have been sent, and it is cut when its reader takes nothing. */
  readonly exchange: Pick<GrpcExchange, "connection" | "write" | "drained" | "ping">;
  /** Counts the bytes that the connection has not accepted. */
  readonly answer: Pick<OutgoingAnswer, "wrote" | "sent">;
  /** Aborts when the caller leaves or its deadline passes. */
  readonly signal: AbortSignal;
  /** The open streams of the server. They contain this one until {@link GrpcEvents.run} has returned. */
  readonly streams: Pick<OpenStreams, "add" | "delete">;
}

/**
 * Writes the events of an open stream, each when the connection can take it, and large ones in slices. While flow control holds the stream
 * back, further events stay in the log of the task. The source is released when the events end, the caller leaves, its deadline passes or
 * the server stops.
 *
 * Connect could write the messages too, but passes each through a dozen asynchronous iterators, which costs more than all the rest of an
 * event.
 */
export class GrpcEvents implements OpenStream {
  link: OpenStream["link"] = undefined;
  readonly #options: GrpcEventsOptions;
  readonly #events: Events;
  #silence = 0;
  /** Settles the pending {@link GrpcEvents.#next}; undefined while an event is written. */
  #settle: ((error?: A2AError) => void) | undefined;
  #isReleased = false;
  #ended: { readonly error: A2AError | undefined } | undefined;

  constructor(options: GrpcEventsOptions) {
    this.#options = options;
    this.#events = options.events[Symbol.asyncIterator]() as Events;
    options.signal.addEventListener("abort", this.#stopped);
    options.streams.add(this);
    if (options.signal.aborted) this.#stopped();
  }

  /**
   * Writes the events until they end, and releases their source. Has to be called at once.
   * @throws A2AError when the stream has failed, its deadline passes, or the server stops; the errors of `frame`
   */
  async run(): Promise<void> {
    const { frame, exchange, answer } = this.#options;
    try {
      for (let event = await this.#next(); event !== undefined; event = await this.#next()) {
        const bytes = frame(event);
        for (const slice of slicesOf(bytes)) {
          if (exchange.write(slice)) continue;
          answer.wrote(bytes.length);
          await exchange.drained();
        }
        answer.sent();
      }
    } finally {
      this.#options.streams.delete(this);
      this.#release();
    }
  }

  /** The next event; undefined at the end. */
  #next(): Promise<object | undefined> {
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

  /** Sends a PING on a silent connection, so that proxies keep it open. Ends a stream that has been silent for too long. */
  beat(maxSilence: number): void {
    this.#silence += 1;
    // The reader has not taken the last event yet.
    if (this.#settle === undefined) return;
    if (this.#silence > maxSilence) this.#end(undefined);
    else if (this.#silence > 1) this.#options.exchange.ping();
  }

  /** Ends the stream with UNAVAILABLE, after which its reader may subscribe again elsewhere. */
  stop(): void {
    this.#end(new A2AError("UNAVAILABLE", undefined, { retryAfter: RETRY_SECONDS }));
  }

  /** Releases the source of the events. Does not wait for it, because it may be busy. */
  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#options.signal.removeEventListener("abort", this.#stopped);
    this.#events.return?.().catch(ignore);
  }

  #end(error: A2AError | undefined): void {
    this.#ended ??= { error };
    this.#settle?.(error);
    this.#settle = undefined;
  }

  // Releases the source at once. If the connection is full, the stream stays open until its reader reads or is cut off.
  readonly #stopped = (): void => {
    const hasLeft = this.#options.exchange.connection.closed;
    this.#end(hasLeft ? undefined : new A2AError("DEADLINE_EXCEEDED"));
    this.#release();
  };
}

function ignore(): void {
  // The end of a source that is no longer read.
}
