import { constants, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Ticker } from "../../async/ticker.js";

type Watched = ServerHttp2Stream | Socket;

/** Number of checks in the time for which a reader may take nothing. */
const CHECKS = 4;

/**
 * Cuts the streams of HTTP/2, and the connections of HTTP/1.1, whose readers take nothing although bytes wait for them. The timeouts of
 * Node's streams do not detect this: everything that the caller sends extends them, also a PING. Bytes should be written in pieces of at
 * most 128 KiB, because a piece is taken as a whole or not.
 */
export class StalledStreams {
  /** Number of checks since the reader of each open stream or connection took the last bytes, while bytes waited. */
  readonly #idle = new Map<Watched, number>();
  readonly #ticker: Ticker;

  /** @param seconds without progress after which a stream is cut; the cut may come up to a quarter of this time later */
  constructor(seconds: number) {
    this.#ticker = new Ticker((seconds * 1000) / CHECKS, () => this.#check());
  }

  /** Watches a stream until it closes. A connection may be given again for each of its calls. */
  watch(stream: Watched): void {
    if (stream.destroyed || this.#idle.has(stream)) return;
    this.#idle.set(stream, 0);
    stream.on("drain", () => this.#idle.has(stream) && this.#idle.set(stream, 0));
    stream.once("close", () => this.#idle.delete(stream));
    this.#ticker.start();
  }

  /** @returns whether any stream is open */
  #check(): boolean {
    for (const [stream, idle] of this.#idle) {
      const now = stream.writableLength === 0 ? 0 : idle + 1;
      this.#idle.set(stream, now);
      if (now > CHECKS) cut(stream);
    }
    return this.#idle.size > 0;
  }
}

function cut(stream: Watched): void {
  if ("rstCode" in stream) stream.close(constants.NGHTTP2_CANCEL);
  else stream.destroy();
}
