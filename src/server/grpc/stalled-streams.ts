import { constants, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Ticker } from "../../async/ticker.js";
import type { AgentServer } from "../agent-server.js";

type Watched = ServerHttp2Stream | Socket;

/** What is known of a stream or connection. */
interface Reading {
  /** Address of the last caller. */
  address: string | undefined;
  /** Number of checks since the reader took the last bytes, while bytes waited, or since the stream was cut. */
  idle: number;
  /** Number of bytes that waited at the last check. */
  unsent: number;
  isCut: boolean;
}

/** Number of checks in the time for which a reader may take nothing. */
const CHECKS = 4;

/**
 * Cuts the streams of HTTP/2, and the connections of HTTP/1.1, whose readers take nothing although bytes wait for them. The timeouts of
 * Node's streams do not detect this: everything that the caller sends extends them, also a PING. Bytes should be written in slices of at
 * most 128 KiB, because a slice is taken as a whole or not. The cut comes after `limits.writeTime`, or up to a quarter of this time later. A
 * connection of HTTP/2 on which the reset of a stream has not left for as long again is closed.
 */
export class StalledStreams {
  readonly #server: Pick<AgentServer, "settings" | "reportCut">;
  readonly #streams = new Map<Watched, Reading>();
  readonly #ticker: Ticker;

  constructor(server: Pick<AgentServer, "settings" | "reportCut">) {
    this.#server = server;
    this.#ticker = new Ticker((server.settings.limits.writeTime * 1000) / CHECKS, () => this.#check());
  }

  /**
   * Watches a stream until it closes. A connection may be given again for each of its calls.
   * @param address IP address of the caller, for the log
   */
  watch(stream: Watched, address: string | undefined): void {
    const known = this.#streams.get(stream);
    if (known !== undefined) known.address = address;
    if (stream.destroyed || known !== undefined) return;
    const reading: Reading = { address, idle: 0, unsent: 0, isCut: false };
    this.#streams.set(stream, reading);
    stream.on("drain", () => {
      reading.idle = 0;
    });
    stream.once("close", () => this.#streams.delete(stream));
    this.#ticker.start();
  }

  /** @returns whether any stream is open */
  #check(): boolean {
    for (const [stream, reading] of this.#streams) {
      const { writableLength: unsent } = stream;
      const hasTaken = unsent === 0 || unsent < reading.unsent;
      if (hasTaken && !reading.isCut) reading.idle = 0;
      else if (reading.idle < CHECKS) reading.idle += 1;
      else if (reading.isCut) disconnect(stream);
      else this.#cut(stream, reading);
      reading.unsent = unsent;
    }
    return this.#streams.size > 0;
  }

  #cut(stream: Watched, reading: Reading): void {
    Object.assign(reading, { isCut: true, idle: 1 });
    if (stream.destroyed) return;
    this.#server.reportCut(reading.address, stream.writableLength, isStream(stream));
    if (isStream(stream)) stream.close(constants.NGHTTP2_CANCEL);
    else stream.destroy();
  }
}

/** Closes the connection of a stream that was cut and is still open: the connection is not read either, so the reset has not left. */
function disconnect(stream: Watched): void {
  if (!isStream(stream) || stream.session?.destroyed !== false) return;
  // Node's proxy of the socket has no `destroy`, and a destroyed session waits for its last write. Methods that chain return the socket.
  stream.session.socket.off("close", ignore).destroy();
}

function isStream(stream: Watched): stream is ServerHttp2Stream {
  return "rstCode" in stream;
}

function ignore(): void {
  // No listener: only what `off` returns is used.
}
