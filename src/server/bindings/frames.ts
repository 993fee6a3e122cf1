import type { A2AError } from "../../protocol/errors.js";
import type { StreamResponse } from "../../protocol/model.js";
import { generationOf } from "../../task-log/log.js";
import type { ArrivalListener } from "../../task-log/log-feed.js";
import type { AnswerRoom } from "../host.js";
import type { ChosenRequest } from "../operation-request.js";
import type { OpenedStream } from "./binding.js";

/** Headers of every event stream. They prevent caching, and buffering by proxies and by middleware that compresses. */
export const streamHeaders: Readonly<Record<string, string>> = Object.freeze({
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
});

/** A comment that keeps an idle connection open. Readers ignore it. */
export const keepAlive = ": keep-alive\n\n";

/** The frame of an event. The data is one line. With the id, if there is one, a reader can resume after the event. */
export function eventFrame(data: string, id: number | undefined): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** The frame of an error, which is the last one of its stream. */
export function errorFrame(data: string): string {
  return `event: error\ndata: ${data}\n\n`;
}

/** Writes the frames of a stream. */
export interface FrameWriter {
  event(event: StreamResponse): string;
  /** The last frame of a stream that failed. */
  error(thrown: unknown): string;
  /** Whether the stream is closed after an event, although its source may have more. */
  isLast?(event: StreamResponse): boolean;
  /** Tells when an event may be written; absent if every event may be written at once. */
  readonly room?: AnswerRoom | undefined;
}

/** The data of the frames of a stream, as JSON text without line breaks. */
export interface FrameData {
  event(event: StreamResponse): string;
  error(error: A2AError): string;
}

/**
 * The frames of a streaming response. The id of each frame is the generation of its event. An event that only closes the stream, which
 * some versions have, is in no log and has no id.
 */
export function framesOf(stream: OpenedStream, request: ChosenRequest, data: FrameData): Frames {
  return new Frames(stream, new EventFrames(stream.failed, request, data));
}

/** The frames of a stream of events. Not made of functions, which would keep the first event in memory as long as the stream is open. */
class EventFrames implements FrameWriter {
  readonly #failed: OpenedStream["failed"];
  readonly #request: ChosenRequest;
  readonly #data: FrameData;

  constructor(failed: OpenedStream["failed"], request: ChosenRequest, data: FrameData) {
    this.#failed = failed;
    this.#request = request;
    this.#data = data;
  }

  get room(): AnswerRoom | undefined {
    return this.#request.host.room;
  }

  event(event: StreamResponse): string {
    const { codec, operation } = this.#request;
    const frame = eventFrame(this.#data.event(event), generationOf(event));
    const closing = codec.closingEvent?.(operation.name, event);
    return closing === undefined ? frame : frame + eventFrame(this.#data.event(closing), undefined);
  }

  error(thrown: unknown): string {
    return errorFrame(this.#data.error(this.#failed(thrown)));
  }

  isLast(event: StreamResponse): boolean {
    const { codec, operation } = this.#request;
    return codec.isLast?.(operation.name, event) ?? false;
  }
}

type Frame = IteratorResult<string, undefined>;

/**
 * The frames of a stream. The class is an iterator and not a generator, because a generator that was never started would not release its
 * source when the connection closes before the first frame is read.
 */
export class Frames implements AsyncIterableIterator<string> {
  readonly #source: OpenedStream["rest"];
  readonly #writer: FrameWriter;
  readonly #closed: (() => void) | undefined;
  #first: StreamResponse | undefined;
  /** The frame that {@link ready} has requested, if it has to be awaited. */
  #late: Promise<Frame> | undefined;
  /** There was no event when the stream began. A comment then shows readers and proxies that it has begun. */
  #isSilent: boolean;
  #ended = false;
  /** The last event was written; further events of the source are not read. */
  #closing = false;

  constructor({ first, rest, closed }: Omit<OpenedStream, "failed">, writer: FrameWriter) {
    this.#closed = closed;
    this.#first = first;
    this.#isSilent = first === undefined;
    this.#source = rest;
    this.#writer = writer;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isKept(): boolean {
    return this.#source.isKept ?? false;
  }

  get isOver(): boolean {
    if (this.#late !== undefined || this.#isSilent || this.#first !== undefined) return false;
    return this.#closing || this.#ended || (this.#source.isOver ?? false);
  }

  listen(listener: ArrivalListener): boolean {
    if (this.#late !== undefined || this.#isSilent || this.#closing || this.#ended) return false;
    return this.#first === undefined && (this.#source.listen?.(listener) ?? false);
  }

  /** The frame of the next event, if the event is there and may be written. */
  ready(): string | undefined {
    if (this.#closing || this.#ended || this.#isSilent || this.#late !== undefined) return undefined;
    const event = this.#first ?? this.#source.ready?.();
    this.#first = undefined;
    if (event === undefined) return undefined;
    const made = this.#made(event);
    if (typeof made === "string") return made;
    this.#late = made;
    return undefined;
  }

  // Not an async function, which would create two promises instead of one for each event of each reader.
  next(): Promise<Frame> {
    const value = this.#late ?? this.ready() ?? this.#late;
    this.#late = undefined;
    if (typeof value === "string") return Promise.resolve({ done: false, value });
    if (value !== undefined) return value;
    if (this.#closing) return this.return();
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    if (this.#isSilent) {
      this.#isSilent = false;
      return Promise.resolve({ done: false, value: keepAlive });
    }
    try {
      // The iterator of an application may return a result without a promise.
      return Promise.resolve(this.#source.next()).then(this.#frame, this.#failure);
    } catch (thrown) {
      return this.#failure(thrown);
    }
  }

  readonly #frame = ({ value: event }: IteratorResult<StreamResponse, undefined>): Frame | Promise<Frame> => {
    if (event === undefined) {
      this.#ended = true;
      this.#closed?.();
      return { done: true, value: undefined };
    }
    const value = this.#made(event);
    return typeof value === "string" ? { done: false, value } : value;
  };

  /**
   * Makes the frame of an event.
   * @returns a promise if the event has to wait for room or cannot be written
   */
  #made(event: StreamResponse): string | Promise<Frame> {
    try {
      const admitted = this.#writer.room?.next(event);
      if (admitted === undefined) return this.#written(event);
      return admitted
        .then(() => ({ done: false as const, value: this.#written(event) }))
        .catch(this.#failure);
    } catch (thrown) {
      return this.#failure(thrown);
    }
  }

  #written(event: StreamResponse): string {
    this.#closing = this.#writer.isLast?.(event) ?? false;
    const text = this.#writer.event(event);
    this.#writer.room?.wrote(text.length);
    return text;
  }

  readonly #failure = async (thrown: unknown): Promise<Frame> => {
    await this.return();
    return { done: false, value: this.#writer.error(thrown) };
  };

  /** Ends the stream and releases its source. Errors of the source are ignored: the reader has left. */
  async return(): Promise<Frame> {
    this.#ended = true;
    this.#closing = false;
    this.#first = undefined;
    this.#late = undefined;
    this.#closed?.();
    try {
      await this.#source.return?.();
    } catch {
      // The reader has disconnected or has received its error.
    }
    return { done: true, value: undefined };
  }
}
