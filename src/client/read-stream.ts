import { createParser } from "eventsource-parser";
import { isJsonObject } from "../json/json-text.js";
import type { Complete } from "../json/omit.js";
import type { StreamResponse } from "../protocol/model.js";
import { tag } from "../task-log/log.js";
import { tooLarge } from "./client-error.js";
import { type Deadline, type TimeLimits, timeout } from "./deadline.js";
import { connectionLost } from "./exchange.js";
import type { SizeLimits } from "./options.js";
import { refuseMany } from "./refuse-many.js";

/** One event of an event stream. */
export interface Frame {
  readonly data: string;
  /** The id from which a reader resumes after this event. */
  readonly id: string | undefined;
}

/** How a stream is read. */
interface FrameOptions {
  readonly url: URL;
  readonly clock: Deadline;
  /** Seconds of silence after which the stream counts as broken. */
  readonly idle: number | undefined;
  /** Seconds without an event after which it counts as broken, despite comments. */
  readonly event?: number;
  /** Maximum length of a line and of an event, in characters (§13.4). */
  readonly limit: number;
}

/**
 * The events of a response body, by the standard for event streams (§9.1). Ends with the body; returning the iterator
 * closes the connection.
 *
 * @throws ClientError RESPONSE_TOO_LARGE, CONNECTION_LOST, TIMEOUT, or the signal's reason.
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
  // Some implementations of `fetch` do not connect the signal to the body.
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
    // Cancelling a body that has ended or failed has no effect.
    stop();
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, url: URL, clock: Deadline) {
  try {
    const chunk = await reader.read();
    clock.signal.throwIfAborted();
    return chunk;
  } catch (cause) {
    clock.signal.throwIfAborted();
    throw connectionLost(url, cause);
  }
}

/**
 * The size of what a reader keeps of a streamed task: artifacts, which later versions replace and chunks extend;
 * messages of updates, which become history; and their metadata, which is merged by key.
 */
class StreamedSize {
  /** Sizes of replaceable values in characters, by their position in the task. */
  readonly #places = new Map<string, number>();
  #total = 0;

  /**
   * Counts an event.
   * @param length characters of its JSON
   * @returns characters of everything that is kept
   */
  after({ task, statusUpdate, artifactUpdate }: StreamResponse, length: number): number {
    if (task !== undefined) {
      this.#places.clear();
      this.#total = length;
    } else if (statusUpdate !== undefined) {
      if (statusUpdate.status?.message !== undefined) this.#total += length;
      if (isJsonObject(statusUpdate.metadata)) this.#addMetadata(statusUpdate.metadata);
    } else if (artifactUpdate?.artifact !== undefined) {
      const { artifact, append = false } = artifactUpdate;
      const place = `artifacts ${artifact.artifactId}`;
      this.#put(place, append ? (this.#places.get(place) ?? 0) + length : length);
    }
    return this.#total;
  }

  #addMetadata(metadata: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(metadata)) {
      this.#put(`metadata ${key}`, key.length + JSON.stringify(value).length);
    }
  }

  #put(place: string, length: number): void {
    this.#total += length - (this.#places.get(place) ?? 0);
    this.#places.set(place, length);
  }
}

/** Decodes one event; undefined for an unknown kind. */
export type ReadEvent = (value: unknown) => StreamResponse | undefined;

/** How the events of a stream are read. */
interface EventOptions {
  readonly url: URL;
  readonly clock: Deadline;
  readonly timeouts: Complete<TimeLimits>;
  readonly limits: Complete<SizeLimits>;
  /** The JSON value in the data of a frame. */
  readonly valueIn: (data: string) => unknown;
  readonly read: ReadEvent;
  /** Whether the stream is over after a value. Without it, the end of the connection decides. */
  readonly isLast?: (value: unknown) => boolean;
}

/**
 * The events of a stream, each with its generation if the agent numbers them.
 *
 * @throws as reading and decoding do, and ClientError RESPONSE_TOO_LARGE.
 */
export async function* readEvents(
  { body }: Response,
  { url, clock, timeouts, limits, valueIn, read, isLast }: EventOptions,
): AsyncGenerator<StreamResponse> {
  if (body === null) return;
  const size = new StreamedSize();
  const { idle, event: quiet } = timeouts;
  for await (const frame of readFrames(body, { url, clock, idle, event: quiet, limit: limits.event })) {
    refuseMany(frame.data, url, limits.values);
    const value = valueIn(frame.data);
    const event = read(value);
    if (event !== undefined) {
      const kept = size.after(event, frame.data.length);
      if (kept > limits.task) throw tooLarge(url, "a task", `${limits.task} characters`);
      yield numbered(event, frame);
    }
    if (isLast?.(value)) return;
  }
}

/** Marks an event with its generation. Ids that are not generations are ignored. */
function numbered(event: StreamResponse, { id }: Frame): StreamResponse {
  return id !== undefined && /^\d{1,15}$/.test(id) ? tag(event, Number(id)) : event;
}
