import { inBackground, timeoutOf } from "../../async/clock.js";
import { type Link, LinkedList } from "../../collections/linked-list.js";
import { WriteCoalescer } from "./write-coalescer.js";

/** A stream that {@link OpenStreams} watches. */
export interface OpenStream {
  /**
   * Called once per heartbeat.
   * @param maxSilence number of heartbeats without a frame after which the stream has to end
   */
  beat(maxSilence: number): void;
  /** Ends the stream cleanly. */
  stop(): void;
  /** Its place among the open streams, which {@link OpenStreams} sets. */
  link?: Link<OpenStream> | undefined;
}

/** All open streams of a server, with one timer for all of them. The timer runs only while there are streams. */
export class OpenStreams {
  /** Joins frames of a stream into one write. */
  readonly coalescer = new WriteCoalescer();
  readonly #streams = new LinkedList<OpenStream>();
  readonly #period: number;
  readonly #maxSilence: number;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param heartbeat seconds between two calls of {@link OpenStream.beat}
   * @param idleTime seconds without a frame after which a stream is ended
   */
  constructor(heartbeat: number, idleTime = Number.POSITIVE_INFINITY) {
    this.#period = heartbeat * 1000;
    this.#maxSilence = Math.ceil(idleTime / heartbeat);
  }

  add(stream: OpenStream): void {
    stream.link = this.#streams.add(stream);
    this.#timer ??= inBackground(setInterval(() => this.#beat(), timeoutOf(this.#period)));
  }

  delete(stream: OpenStream): void {
    if (stream.link !== undefined) this.#streams.remove(stream.link);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends all streams cleanly. */
  stop(): void {
    for (const stream of this.#streams) stream.stop();
  }

  #beat(): void {
    for (const stream of this.#streams) stream.beat(this.#maxSilence);
  }
}
