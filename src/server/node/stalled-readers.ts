import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Ticker } from "../../async/ticker.js";

/** A connection, and how much of its answer it had taken at the last check. */
interface Watched {
  /** The answer under way; undefined between two answers. */
  res: ServerResponse | undefined;
  /** Bytes that the system had taken; -1 if none were waiting. */
  taken: number;
  /** Checks since then without progress. */
  idle: number;
}

/** Called for a connection whose reader takes nothing. */
export type Stalled = (res: ServerResponse, unsent: number) => void;

/** Number of checks in the time for which a reader may take nothing. */
const CHECKS = 4;

/**
 * Detects readers that take nothing although bytes wait for them. A reader that takes one slice of 128 KiB in each `seconds` is never
 * reported, however long the whole answer takes.
 *
 * State is kept by connection and not by answer: a map that gains and loses an entry with every request makes V8 move whole requests to
 * the old generation, because the tables that the map has outgrown still refer to them.
 */
export class StalledReaders {
  readonly #connections = new Map<Socket, Watched>();
  readonly #stalled: Stalled;
  readonly #ticker: Ticker;

  /** @param seconds time without progress after which a reader is reported, at most a quarter later */
  constructor(seconds: number, stalled: Stalled) {
    this.#stalled = stalled;
    this.#ticker = new Ticker((seconds * 1000) / CHECKS, () => this.#check());
  }

  /** Watches an answer from now on. */
  add(res: ServerResponse): void {
    const connection = this.#connectionOf(res.req.socket);
    connection.res = res;
    connection.taken = -1;
    this.#ticker.start();
  }

  /** The answer has left, or cannot leave any more. */
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
      socket.once("close", () => this.#connections.delete(socket));
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
      // No bytes wait, or the answer itself waits for an earlier one on its connection.
      const isIdle = socket === null || writableLength === 0;
      const taken = isIdle ? -1 : socket.bytesWritten - socket.writableLength;
      if (isIdle || connection.taken !== taken) Object.assign(connection, { taken, idle: 0 });
      else if (connection.idle + 1 < CHECKS) connection.idle += 1;
      else this.#stalled(res, writableLength);
    }
    return isAny;
  }
}
