import type { Duplex } from "node:stream";
import { Ticker } from "../../async/ticker.js";

/** A stream that is open. */
interface Watched {
  /** Number of checks since its reader took the last bytes, while bytes waited. */
  idle: number;
  cut: () => void;
}

/** Number of checks in the time for which a reader may take nothing. */
const CHECKS = 4;

/**
 * Cuts the streams of HTTP/2, and the connections of HTTP/1.1, whose readers take nothing although bytes wait for them. The timeouts of
 * Node's streams do not detect this: everything that the caller sends extends them, also a PING. Bytes should be written in pieces of at
 * most 128 KiB, because a piece is taken as a whole or not.
 */
export class StalledStreams {
  readonly #streams = new Map<Duplex, Watched>();
  readonly #ticker: Ticker;

  /** @param seconds without progress after which a stream is cut; the cut may come up to a quarter of this time later */
  constructor(seconds: number) {
    this.#ticker = new Ticker((seconds * 1000) / CHECKS, () => this.#check());
  }

  /** Watches a stream until it closes. A connection that carries several calls is cut by the `cut` of the last one. */
  watch(stream: Duplex, cut: () => void): void {
    if (stream.destroyed) return;
    const known = this.#streams.get(stream);
    if (known !== undefined) {
      known.cut = cut;
      return;
    }
    const watched: Watched = { idle: 0, cut };
    this.#streams.set(stream, watched);
    stream.on("drain", () => {
      watched.idle = 0;
    });
    stream.once("close", () => this.#streams.delete(stream));
    this.#ticker.start();
  }

  /** @returns whether any stream is open */
  #check(): boolean {
    for (const [stream, watched] of this.#streams) {
      watched.idle = stream.writableLength === 0 ? 0 : watched.idle + 1;
      if (watched.idle > CHECKS) watched.cut();
    }
    return this.#streams.size > 0;
  }
}
