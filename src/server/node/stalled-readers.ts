import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Ticker } from "../../async/ticker.js";

/** A connection, and how far it had taken its answer at the last look. */
interface Watched {
  /** The answer under way; undefined between two answers. */
  res: ServerResponse | undefined;
  /** Bytes that the system had taken; -1 if none were waiting. */
  taken: number;
  /** Looks since then that have found nothing new. */
  idle: number;
}

/** Told of a connection whose reader takes nothing. */
export type Stalled = (res: ServerResponse, unsent: number) => void;

/** Looks in the time that a reader may take nothing. */
const LOOKS = 4;

/**
 * Finds readers that take nothing of what is there for them. A reader that takes one slice of 128 KiB in each `seconds`
 * is never found, however long the whole answer takes.
 *
 * What is kept belongs to a connection and not to an answer: a map that gets and loses an entry with every request makes V8
 * move whole requests to the old generation, because the tables that the map has outgrown refer to them.
 */
export class StalledReaders {
  readonly #connections = new Map<Socket, Watched>();
  readonly #stalled: Stalled;
  readonly #ticker: Ticker;

  /** @param seconds without progress after which a reader is found, and at most a quarter more */
  constructor(seconds: number, stalled: Stalled) {
    this.#stalled = stalled;
    this.#ticker = new Ticker((seconds * 1000) / LOOKS, () => this.#look());
  }

  /** Looks at an answer from now on. */
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

  #look(): boolean {
    let isAny = false;
    for (const connection of this.#connections.values()) {
      const { res } = connection;
      if (res === undefined) continue;
      isAny = true;
      const { socket, writableLength } = res;
      // Nothing waits, or the answer itself waits for another one on its connection.
      const isIdle = socket === null || writableLength === 0;
      const taken = isIdle ? -1 : socket.bytesWritten - socket.writableLength;
      if (isIdle || connection.taken !== taken) Object.assign(connection, { taken, idle: 0 });
      else if (connection.idle + 1 < LOOKS) connection.idle += 1;
      else this.#stalled(res, writableLength);
    }
    return isAny;
  }
}
