import type { A2AError } from "../../protocol/errors.js";
import type { StreamResponse } from "../../protocol/model.js";
import { generationOf } from "../../task-log/log.js";
import type { ArrivalListener } from "../../task-log/log-feed.js";
import type { AnswerRoom } from "../host.js";
import type { ChosenRequest } from "../operation-request.js";
import type { OpenedStream } from "./binding.js";

/** Headers of every event stream: not to be cached, and not to be collected by a proxy or by a middleware that compresses. */
export const streamHeaders: Readonly<Record<string, string>> = Object.freeze({
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
});

/** A comment that keeps an idle connection open; readers skip it. */
export const keepAlive = ": keep-alive\n\n";

/** Frame of an event. The data is one line; the id, when there is one, lets a reader continue after it. */
export function eventFrame(data: string, id: number | undefined): string {
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** Frame of an error, which is the last of its stream. */
export function errorFrame(data: string): string {
  return `event: error\ndata: ${data}\n\n`;
}

/** How a binding writes what happens on a stream. */
export interface FrameWriter {
  event(event: StreamResponse): string;
  /** The last frame of a stream that failed. */
  error(thrown: unknown): string;
  /** Whether the stream is closed after an event, although its source may have more. */
  isLast?(event: StreamResponse): boolean;
  /** Says when an event may be written; without it, at once. */
  readonly room?: AnswerRoom | undefined;
}

/** The data of the frames of a stream, as JSON text without line breaks. */
export interface FrameData {
  event(event: StreamResponse): string;
  error(error: A2AError): string;
}

/**
 * The frames of an answer. Each event is a frame numbered by its place in the log of the task. Where its version has an event that
 * closes a stream, that one is in no log and has no number.
 */
export function framesOf(
  stream: OpenedStream,
  { codec, operation, host }: ChosenRequest,
  data: FrameData,
): Frames {
  const { name } = operation;
  return new Frames(stream, {
    room: host.room,
    event: (event) => {
      const frame = eventFrame(data.event(event), generationOf(event));
      const closing = codec.closingEvent?.(name, event);
      return closing === undefined ? frame : frame + eventFrame(data.event(closing), undefined);
    },
    error: (thrown) => errorFrame(data.error(stream.failed(thrown))),
    isLast: (event) => codec.isLast?.(name, event) ?? false,
  });
}

type Frame = IteratorResult<string, undefined>;

/**
 * The frames of a stream. An iterator by hand and not a generator, because a generator that was never started would not
 * release its source when the connection is gone before the first frame was read.
 */
export class Frames implements AsyncIterableIterator<string> {
  readonly #source: OpenedStream["rest"];
  readonly #writer: FrameWriter;
  readonly #closed: (() => void) | undefined;
  #first: StreamResponse | undefined;
  /** A frame that was asked for by {@link ready} and has to be waited for. */
  #late: Promise<Frame> | undefined;
  /** There was no event when the stream began: a comment tells the reader, and proxies on the way, that it has. */
  #isSilent: boolean;
  #ended = false;
  /** The last event has been written: what the source still has is not asked for. */
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

  // An async function makes two promises where one does, for each event of each reader.
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
      // Sources of another make may answer without a promise.
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

  /** @returns a promise when the event has to wait for room, or cannot be written */
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
    const { room, isLast } = this.#writer;
    this.#closing = isLast?.(event) ?? false;
    const text = this.#writer.event(event);
    room?.wrote(text.length);
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
      // The reader has gone, or has got its error.
    }
    return { done: true, value: undefined };
  }
}
