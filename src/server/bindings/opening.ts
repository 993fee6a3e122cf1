import { A2AError } from "../../protocol/errors.js";
import type { StreamResponse } from "../../protocol/model.js";
import type { HttpRequest } from "./http.js";

type Events = AsyncIterator<StreamResponse>;

/** How a stream is opened. */
export interface Opening {
  /** Asks whether the stream may be asked for now. */
  turn(): Promise<void> | undefined;
  /** Asks for the stream. */
  ask(): AsyncIterable<StreamResponse>;
  /**
   * Asks whether the first event may be written now. When it has to wait the stream is left, so that the event need not be kept,
   * and asked for again.
   */
  admit(first: StreamResponse): Promise<void> | undefined;
  /** Told of the first event once it may be written. */
  began(first: StreamResponse): void;
  /** The only event of a stream that cannot be opened; undefined when it fails with this error. */
  instead(error: unknown): Promise<StreamResponse | undefined>;
}

/** A stream as it is answered. */
export interface OpenedStream {
  /** Its first event; undefined when the answer begins before there is one. */
  readonly first: StreamResponse | undefined;
  /** The events after that. */
  readonly rest: Events;
}

/** The events of a stream that is being opened. It can be left at any time; what it waits for is released at once. */
export class OpeningEvents implements Events {
  /** Until the stream is open: it may stay so for hours, and need not hold its request. */
  #opening: Opening | undefined;
  #events: Events | undefined;
  /** The first event, when the answer has begun before it. */
  #late: Promise<StreamResponse> | undefined;

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  /**
   * Opens the stream.
   * @returns the first event; undefined when the head of the answer is due before it, and then it is the first of the rest
   */
  first(request: Pick<HttpRequest, "whileSilent">): Promise<StreamResponse | undefined> {
    const first = this.#open();
    if (request.whileSilent === undefined) return first;
    return new Promise((resolve, reject) => {
      const due = () => {
        this.#late = first;
        resolve(undefined);
      };
      const ended = request.whileSilent?.(due);
      first.finally(ended).then(resolve, reject);
    });
  }

  next(): Promise<IteratorResult<StreamResponse>> {
    const late = this.#late;
    this.#late = undefined;
    if (late !== undefined) return late.then((value) => ({ done: false, value }));
    return this.#events?.next() ?? Promise.resolve({ done: true, value: undefined });
  }

  async return(): Promise<IteratorResult<StreamResponse>> {
    this.#opening = undefined;
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  async #open(): Promise<StreamResponse> {
    const opening = this.#opening;
    if (opening === undefined) throw new A2AError("UNAVAILABLE", "The caller has left");
    const turn = opening.turn();
    if (turn !== undefined) await turn;
    const found = await this.#firstOf(opening);
    const admitted = opening.admit(found);
    // Returned and not awaited: a function that waits would keep the event.
    if (admitted !== undefined) return this.#again(admitted);
    this.#opening = undefined;
    opening.began(found);
    return found;
  }

  async #firstOf(opening: Opening): Promise<StreamResponse> {
    try {
      const events = opening.ask()[Symbol.asyncIterator]();
      this.#events = events;
      const { done, value } = await events.next();
      if (!done) return value;
    } catch (error) {
      const only = await opening.instead(error);
      if (only === undefined) throw error;
      this.#events = undefined;
      return only;
    }
    const cause = new Error("The stream holds no event");
    throw new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause });
  }

  async #again(admitted: Promise<void>): Promise<StreamResponse> {
    await Promise.all([admitted, this.#events?.return?.()]);
    return this.#open();
  }
}
