import { inBackground, timeoutOf } from "../../async/clock.js";
import { WriteCoalescer } from "./write-coalescer.js";

/** A stream among others. */
export interface OpenStream {
  /**
   * Another period has passed.
   * @param patience periods without a frame after which the stream is to end
   */
  beat(patience: number): void;
  /** Ends the stream in good order. */
  stop(): void;
}

/** All open streams of an app. One timer for all of them, and none while there are none. */
export class OpenStreams {
  /** Joins what is written to them. */
  readonly coalescer = new WriteCoalescer();
  readonly #streams = new Set<OpenStream>();
  readonly #period: number;
  readonly #patience: number;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param heartbeat seconds of silence before a comment is sent
   * @param idleTime seconds without a frame after which a stream is ended
   */
  constructor(heartbeat: number, idleTime = Number.POSITIVE_INFINITY) {
    this.#period = heartbeat * 1000;
    this.#patience = Math.ceil(idleTime / heartbeat);
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: OpenStream): void {
    this.#streams.add(stream);
    this.#timer ??= inBackground(setInterval(() => this.#beat(), timeoutOf(this.#period)));
  }

  delete(stream: OpenStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends all streams in good order. */
  stop(): void {
    for (const stream of this.#streams) stream.stop();
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat(this.#patience);
  }
}
