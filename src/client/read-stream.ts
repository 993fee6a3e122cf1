import { createParser } from "eventsource-parser";
import { isJsonObject } from "../json/json-text.js";
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
  /** What a reader sends back to go on behind this event. */
  readonly id: string | undefined;
}

/** How a stream is read. */
interface FrameOptions {
  readonly url: URL;
  readonly clock: Deadline;
  /** Seconds of silence after which the stream counts as broken. */
  readonly idle: number | undefined;
  /** Seconds without an event after which it does, although comments come. */
  readonly event?: number;
  /** Characters of a line, and of an event, at most (§13.4). */
  readonly limit: number;
}

/**
 * The events of a response body, as the standard for event streams reads them (§9.1). Ends with the body; letting go of the
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
 * The size of what a stream has brought of its task and its reader keeps: artifacts, which a later version replaces and a chunk
 * extends, the messages of updates, which become history, and their metadata, which is added to that of the task by key.
 */
class StreamedSize {
  /** Characters of what later events replace, by its place in the task. */
  readonly #places = new Map<string, number>();
  #total = 0;

  /**
   * Counts an event.
   * @param length characters of its JSON
   * @returns characters of all that is kept
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

/** Reads one event; undefined for one of an unknown kind. */
export type ReadEvent = (value: unknown) => StreamResponse | undefined;

/** How the events of a stream are read. */
interface EventOptions {
  readonly url: URL;
  readonly clock: Deadline;
  readonly timeouts: Required<TimeLimits>;
  readonly limits: Required<SizeLimits>;
  /** The JSON value in the data of a frame. */
  readonly valueIn: (data: string) => unknown;
  readonly read: ReadEvent;
  /** Whether the stream is over after a value. Without it, the connection says so. */
  readonly isLast?: (value: unknown) => boolean;
}

/**
 * The events of a stream, each with its number where the agent numbers them.
 *
 * Throws as the connection and the reading do, and ClientError RESPONSE_TOO_LARGE.
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

/** Notes the number of an event on it. Ids that are no generations say nothing to this client. */
function numbered(event: StreamResponse, { id }: Frame): StreamResponse {
  return id !== undefined && /^\d{1,15}$/.test(id) ? tag(event, Number(id)) : event;
}
