import { Ticker } from "../../async/ticker.js";
import { type Link, LinkedList } from "../../collections/linked-list.js";
import type { AnswerConnection } from "../host.js";

/** A stream that waits for its first event. */
interface Silent {
  /** Number of ticks until its headers are due. */
  left: number;
  readonly due: () => void;
}

/** Maximum seconds until the headers of a stream are sent without an event, because proxies close silent connections. */
const LONGEST = 10;
/** Number of ticks in that time. The first one may come soon after a stream was added, so the headers may be due one tick early. */
const TICKS = 4;

/** The streams that wait for their first event. One timer serves all of them. */
export class SilentStreams {
  readonly #streams = new LinkedList<Silent>();
  readonly #ticker: Ticker;

  /** @param heartbeat seconds of silence after which an open stream gets a comment */
  constructor(heartbeat: number) {
    const period = (Math.min(heartbeat, LONGEST) * 1000) / TICKS;
    this.#ticker = new Ticker(period, () => this.#tick());
  }

  /**
   * Adds a stream.
   * @param due called at most once: when the headers are due, or when the connection closes
   * @returns a function that removes the stream
   */
  add(connection: AnswerConnection, due: () => void): () => void {
    let link: Link<Silent> | undefined;
    const remove = () => {
      if (link !== undefined) this.#streams.remove(link);
      connection.off("close", end);
    };
    const end = () => {
      remove();
      due();
    };
    if (connection.closed) due();
    else {
      connection.once("close", end);
      link = this.#streams.add({ left: TICKS, due: end });
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
