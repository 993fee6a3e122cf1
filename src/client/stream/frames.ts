import { createParser } from "eventsource-parser";
import { tooLarge } from "../client-error.js";
import { type Clock, timeout } from "../clock.js";
import { connectionLost } from "../exchange.js";

/** One event of an event stream. */
export interface Frame {
  readonly data: string;
  /** What a reader sends back to go on behind this event. */
  readonly id: string | undefined;
}

/** How a stream is read. */
export interface FrameOptions {
  readonly url: URL;
  readonly clock: Clock;
  /** Seconds of silence after which the stream counts as broken. */
  readonly idle: number | undefined;
  /** Seconds without an event after which it does, although comments come. */
  readonly event?: number;
  /** Characters of a line, and of an event, at most (STR-14). */
  readonly limit: number;
}

/**
 * The events of a response body, as the standard for event streams reads them (STR-13). Ends with the body; letting go of the
 * iteration closes the connection.
 *
 * Throws ClientError RESPONSE_TOO_LARGE, CONNECTION_LOST, TIMEOUT, or the reason of the clock's signal.
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  options: FrameOptions,
): AsyncGenerator<Frame> {
  const { url, clock, idle, limit, event = Number.POSITIVE_INFINITY } = options;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let frames: Frame[] = [];
  let overflow = false;
  let last = Date.now();
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: ({ data, id }) => frames.push({ data, id }),
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") overflow = true;
    },
  });
  // Not every `fetch` ties the body that it gives to the signal that it was given.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  clock.signal.addEventListener("abort", stop);
  if (clock.signal.aborted) stop();
  try {
    for (;;) {
      clock.start("idle", idle);
      const { done, value } = await read(reader, url, clock);
      clock.stop("idle");
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      if (overflow || frames.some(({ data }) => data.length > limit)) {
        throw tooLarge(url, "a line or an event", `${limit} characters`);
      }
      const complete = frames;
      frames = [];
      if (complete.length > 0) {
        yield* complete;
        last = Date.now();
      } else if (Date.now() - last > event * 1000) throw timeout("event", event);
    }
  } finally {
    clock.signal.removeEventListener("abort", stop);
    clock.close();
    // The body may have ended or failed already: then there is nothing to close.
    stop();
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, url: URL, clock: Clock) {
  try {
    const chunk = await reader.read();
    clock.signal.throwIfAborted();
    return chunk;
  } catch (cause) {
    clock.signal.throwIfAborted();
    throw connectionLost(url, cause);
  }
}
