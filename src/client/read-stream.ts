import { isJsonObject } from "../json/json-text.js";
import type { Complete } from "../json/omit.js";
import { EventStreamParser, type Frame, FrameTooLong } from "../net/event-stream.js";
import type { Received, StreamResponse } from "../protocol/model.js";
import { tag } from "../task-log/log.js";
import { checkJsonLimits } from "./check-json-limits.js";
import { ClientError, tooLarge } from "./client-error.js";
import { type Deadline, type TimeLimits, timeout } from "./deadline.js";
import { connectionLost } from "./exchange.js";
import { remoteError } from "./remote-error.js";

/** Size limits. A card, catalog, response or stream that exceeds one of them is refused with ClientError RESPONSE_TOO_LARGE. */
export interface SizeLimits {
  /** Bytes of an agent card, including the extended one, or of a catalog; 1 MiB by default. */
  readonly card?: number | undefined;
  /** Bytes of a response that is not a stream; 32 MiB by default. */
  readonly answer?: number | undefined;
  /** Characters of one line of a stream, not counting `data: `, and of the data of one event; 16 Mi by default. */
  readonly event?: number | undefined;
  /** Values in a response or event, counted by objects, lists and commas; 1,000,000 by default. */
  readonly values?: number | undefined;
  /** Members of all objects in a response or event; 250,000 by default. */
  readonly members?: number | undefined;
  /**
   * Characters of one task in a stream, counted in JSON: its last snapshot, and the artifacts, messages and metadata after that; 32 Mi by
   * default.
   */
  readonly task?: number | undefined;
}

/** Options of {@link readFrames}. */
interface FrameOptions {
  readonly url: URL;
  readonly deadline: Deadline;
  /** Seconds of silence after which the stream counts as broken; undefined for no limit. */
  readonly idle: number | undefined;
  /** Seconds without a complete event after which a stream that still sends bytes counts as broken; no limit by default. */
  readonly event?: number;
  /** Maximum length of a line, not counting `data: `, and of the data of an event, in characters (§13.4). */
  readonly limit: number;
}

/**
 * Reads the events of a response body, by the standard for event streams (§9.1). Ends with the body; a reader that stops earlier closes the
 * connection. In either case, and after an error, the deadline is closed.
 *
 * @throws ClientError RESPONSE_TOO_LARGE, CONNECTION_LOST, TIMEOUT, or the one with which the body fails; the signal's reason
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  options: FrameOptions,
): AsyncGenerator<Frame> {
  const { url, deadline, idle, limit, event = Number.POSITIVE_INFINITY } = options;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventStreamParser(limit);
  let last = Date.now();
  // Some implementations of `fetch` do not connect the signal to the body.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  deadline.signal.addEventListener("abort", stop);
  if (deadline.signal.aborted) stop();
  try {
    for (;;) {
      deadline.start("idle", idle);
      const { done, value } = await read(reader, url, deadline);
      deadline.stop("idle");
      if (done) return;
      const frames = parser.feed(decoder.decode(value, { stream: true }));
      if (frames.length > 0) {
        yield* frames;
        last = Date.now();
      } else if (Date.now() - last > event * 1000) throw timeout("event", event);
    }
  } catch (error) {
    throw error instanceof FrameTooLong ? tooLarge(url, "a line or an event", `${limit} characters`) : error;
  } finally {
    deadline.signal.removeEventListener("abort", stop);
    deadline.close();
    // This has no effect on a body that has ended or failed.
    stop();
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, url: URL, deadline: Deadline) {
  try {
    const chunk = await reader.read();
    deadline.signal.throwIfAborted();
    return chunk;
  } catch (cause) {
    deadline.signal.throwIfAborted();
    throw cause instanceof ClientError ? cause : connectionLost(url, cause);
  }
}

/**
 * Counts the size of a task that a reader folds from a stream: a snapshot; artifacts, which later events replace or extend; messages of
 * status updates, which become history; and metadata of status updates, which is merged by key. A snapshot counts in full until the next
 * one, even if later events replace its artifacts or metadata.
 */
class StreamedSize {
  /** Characters of each artifact and metadata value since the snapshot. The keys are `artifacts <id>` and `metadata <key>`. */
  readonly #sizes = new Map<string, number>();
  #total = 0;

  /**
   * Counts an event.
   * @param length characters of the JSON in which it arrived
   * @returns characters of the task so far
   */
  after({ task, statusUpdate, artifactUpdate }: Received<StreamResponse>, length: number): number {
    if (task !== undefined) {
      this.#sizes.clear();
      this.#total = length;
    } else if (statusUpdate !== undefined) {
      if (statusUpdate.status?.message !== undefined) this.#total += length;
      if (isJsonObject(statusUpdate.metadata)) this.#addMetadata(statusUpdate.metadata);
    } else if (artifactUpdate?.artifact !== undefined) {
      const { artifact, append = false } = artifactUpdate;
      const key = `artifacts ${artifact.artifactId}`;
      this.#put(key, append ? (this.#sizes.get(key) ?? 0) + length : length);
    }
    return this.#total;
  }

  #addMetadata(metadata: Readonly<Record<string, unknown>>): void {
    for (const [key, value] of Object.entries(metadata)) {
      this.#put(`metadata ${key}`, key.length + JSON.stringify(value).length);
    }
  }

  #put(key: string, length: number): void {
    this.#total += length - (this.#sizes.get(key) ?? 0);
    this.#sizes.set(key, length);
  }
}

/**
 * Decodes one event; undefined for an unknown kind. Returns a promise only if the code that reads the event must first be imported.
 * @throws ClientError INVALID_RESPONSE
 */
export type ReadEvent = (
  value: unknown,
) => Received<StreamResponse> | undefined | Promise<Received<StreamResponse> | undefined>;

/** Options of {@link readEvents}. */
interface EventOptions {
  readonly url: URL;
  readonly deadline: Deadline;
  readonly timeouts: Complete<TimeLimits>;
  readonly limits: Complete<SizeLimits>;
  /**
   * Reads the JSON value in the data of a frame.
   * @throws ErrorAnswer for an error of the agent; ClientError INVALID_RESPONSE for data that is not in the format of the binding
   */
  readonly valueIn: (data: string) => unknown;
  readonly read: ReadEvent;
  /** Whether the stream is over after a value. If absent, the stream ends with the connection. */
  readonly isLast?: (value: unknown) => boolean;
}

/**
 * The events of a stream, each with its generation if the agent numbers them. Events of an unknown kind are left out. At the end, and after
 * an error, the deadline is closed.
 *
 * @throws RemoteError for an error in the stream; ClientError RESPONSE_TOO_LARGE when a limit is exceeded; the other errors of
 * {@link readFrames}, `valueIn` and `read`
 */
export async function* readEvents(
  { body }: Response,
  { url, deadline, timeouts, limits, valueIn, read, isLast }: EventOptions,
): AsyncGenerator<Received<StreamResponse>> {
  if (body === null) {
    deadline.close();
    return;
  }
  const size = new StreamedSize();
  const { idle, event: quiet } = timeouts;
  for await (const frame of readFrames(body, { url, deadline, idle, event: quiet, limit: limits.event })) {
    checkJsonLimits(frame.data, url, limits);
    let value: unknown;
    try {
      value = valueIn(frame.data);
    } catch (error) {
      throw await remoteError(error);
    }
    const reading = read(value);
    const event = reading instanceof Promise ? await reading : reading;
    if (event !== undefined) {
      const kept = size.after(event, frame.data.length);
      if (kept > limits.task) throw tooLarge(url, "a task", `${limits.task} characters`);
      yield numbered(event, frame);
    }
    if (isLast?.(value)) return;
  }
}

/** Marks an event with the number in the id of its frame. An id that is not a number of at most 15 digits is ignored. */
function numbered(event: Received<StreamResponse>, { id }: Frame): Received<StreamResponse> {
  return id !== undefined && /^\d{1,15}$/.test(id) ? tag(event, Number(id)) : event;
}
