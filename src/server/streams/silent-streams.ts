import { Ticker } from "../../async/ticker.js";
import type { AnswerConnection } from "../host.js";

/** A stream that waits for its first event. */
interface Silent {
  /** Ticks until its head is due. */
  left: number;
  readonly due: () => void;
}

/** Longest time, in seconds, until the head of a stream is sent without an event: proxies cut connections that say nothing. */
const LONGEST = 10;
/** Ticks in that time. The head is due when as many have passed, so it may be due a tick early. */
const TICKS = 4;

/** Streams whose agent has said nothing yet. One timer serves all of them. */
export class SilentStreams {
  readonly #streams = new Set<Silent>();
  readonly #ticker: Ticker;

  /** @param heartbeat seconds of silence after which an open stream gets a comment */
  constructor(heartbeat: number) {
    const period = (Math.min(heartbeat, LONGEST) * 1000) / TICKS;
    this.#ticker = new Ticker(period, () => this.#tick());
  }

  /**
   * Adds a stream.
   * @param due called once: when the head is due, or when the connection goes away
   * @returns removes the stream
   */
  add(connection: AnswerConnection, due: () => void): () => void {
    const remove = () => {
      this.#streams.delete(stream);
      connection.off("close", end);
    };
    const end = () => {
      remove();
      due();
    };
    const stream: Silent = { left: TICKS, due: end };
    if (connection.closed) due();
    else {
      connection.once("close", end);
      this.#streams.add(stream);
      this.#ticker.start();
    }
    return remove;
  }

  stop(): void {
    this.#ticker.stop();
  }

  #tick(): boolean {
    for (const stream of this.#streams) {
      stream.left -= 1;
      if (stream.left <= 0) stream.due();
    }
    return this.#streams.size > 0;
  }
}
