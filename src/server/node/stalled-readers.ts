import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Ticker } from "../../async/ticker.js";

/** A connection, and the progress of its response at the last check. */
interface Watched {
  /** The current response; undefined between two responses. */
  res: ServerResponse | undefined;
  /** Bytes that the operating system had accepted; -1 if none were waiting. */
  taken: number;
  /** Number of later checks without progress. */
  idle: number;
}

/** Called with a response whose reader receives nothing, and its number of unsent bytes. */
export type Stalled = (res: ServerResponse, unsent: number) => void;

/** Number of checks in the time for which a reader may receive nothing. */
const CHECKS = 4;

/**
 * Detects readers that receive nothing although bytes wait for them. A reader that receives a slice of 128 KiB in each `seconds` is never
 * reported, even if the whole response takes long.
 *
 * The state is kept by connection and not by response: with a map that gains and loses an entry with every request, V8 moves whole requests
 * to the old generation, because earlier tables of the map still refer to them.
 */
export class StalledReaders {
  readonly #connections = new Map<Socket, Watched>();
  readonly #stalled: Stalled;
  readonly #ticker: Ticker;

  /** @param seconds without progress after which a reader is reported; the report may come up to a quarter of this time later */
  constructor(seconds: number, stalled: Stalled) {
    this.#stalled = stalled;
    this.#ticker = new Ticker((seconds * 1000) / CHECKS, () => this.#check());
  }

  /** Starts to watch a response. */
  add(res: ServerResponse): void {
    const connection = this.#connectionOf(res.req.socket);
    connection.res = res;
    connection.taken = -1;
    this.#ticker.start();
  }

  /** Stops watching a response that was sent, or can no longer be sent. */
  delete(res: ServerResponse): void {
    const connection = this.#connections.get(res.req.socket);
    if (connection?.res === res) connection.res = undefined;
  }

  stop(): void {
    this.#ticker.stop();
  }

  #connectionOf(socket: Socket): Watched {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const connection: Watched = { res: undefined, taken: -1, idle: 0 };
    if (!socket.destroyed) {
      this.#connections.set(socket, connection);
      socket.on("close", () => this.#connections.delete(socket));
    }
    return connection;
  }

  #check(): boolean {
    let isAny = false;
    for (const connection of this.#connections.values()) {
      const { res } = connection;
      if (res === undefined) continue;
      isAny = true;
      const { socket, writableLength } = res;
      // No bytes wait, or the response waits for an earlier one on its connection.
      const isIdle = socket === null || writableLength === 0;
      const taken = isIdle ? -1 : socket.bytesWritten - socket.writableLength;
      if (isIdle || connection.taken !== taken) Object.assign(connection, { taken, idle: 0 });
      else if (connection.idle + 1 < CHECKS) connection.idle += 1;
      else this.#stalled(res, writableLength);
    }
    return isAny;
  }
}
