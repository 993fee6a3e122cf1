import type { StreamResponse } from "../../../protocol/model.js";
import type { AnswerRoom } from "../../host.js";
import type { OpenedStream } from "../binding.js";

/** How events are converted to messages. */
interface EventMessageOptions {
  /** The event as a JSON value of the version. */
  readonly encode: (event: StreamResponse) => object;
  /** Whether the stream is closed after an event, although its source may have more. */
  readonly isLast: (event: StreamResponse) => boolean;
  /** An event that follows the last one, if that cannot be marked as the last. */
  readonly closing: (event: StreamResponse) => StreamResponse | undefined;
  /** Tells when an event may be written; undefined if every event may be written at once. */
  readonly room: AnswerRoom | undefined;
}

type Message = IteratorResult<object, undefined>;

const end: Message = { done: true, value: undefined };

/**
 * The messages of a stream, one for each event. Each is read on request, so a reader that stops reading stops the reading of the log. A
 * failure of the stream is thrown as the error for the caller.
 */
export class EventMessages implements AsyncIterableIterator<object> {
  readonly #options: EventMessageOptions;
  /** Without its first event, which would stay in memory as long as the stream is open. */
  readonly #stream: Omit<OpenedStream, "first">;
  #first: StreamResponse | undefined;
  #closing: StreamResponse | undefined;
  #isOver = false;

  constructor(stream: OpenedStream, options: EventMessageOptions) {
    const { first, rest, failed, closed } = stream;
    this.#stream = { rest, failed, closed };
    this.#first = first;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @throws A2AError when the stream has failed */
  async next(): Promise<Message> {
    const { encode, isLast, closing, room } = this.#options;
    const last = this.#closing;
    this.#closing = undefined;
    if (last !== undefined) return { done: false, value: encode(last) };
    if (this.#isOver) return end;
    const { rest, failed } = this.#stream;
    try {
      const event = this.#first ?? rest.ready?.() ?? (await rest.next()).value;
      this.#first = undefined;
      if (event === undefined) return await this.return();
      const admitted = room?.next(event);
      if (admitted !== undefined) await admitted;
      const value = encode(event);
      if (!isLast(event)) return { done: false, value };
      await this.return();
      this.#closing = closing(event);
      return { done: false, value };
    } catch (thrown) {
      await this.return();
      throw failed(thrown);
    }
  }

  /** Ends the stream and releases its source. Errors of the source are ignored: the reader has left. */
  async return(): Promise<Message> {
    this.#closing = undefined;
    if (this.#isOver) return end;
    this.#isOver = true;
    this.#first = undefined;
    this.#stream.closed?.();
    try {
      await this.#stream.rest.return?.();
    } catch {
      // The reader has disconnected or has received its error.
    }
    return end;
  }
}
