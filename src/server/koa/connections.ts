import type { Server, Socket } from "node:net";
import { KeyedCounter } from "../../collections/keyed-counter.js";
import { networkOf } from "../../net/network-of.js";
import { RETRY_SECONDS } from "../../protocol/errors.js";
import type { Logger } from "../../protocol/logger.js";

/** Maximum numbers of open connections. */
export interface ConnectionBounds {
  /** From all addresses together. */
  readonly total: number;
  /** From one address. */
  readonly each: number;
}

/**
 * Counts open connections by the address of their other end, and refuses those beyond the bounds before anything is read from them. With
 * a proxy that is the address of the proxy, because the headers with the caller's address arrive later.
 */
export class Connections {
  readonly #bounds: ConnectionBounds;
  readonly #logger: Logger;
  /** Open connections by address. */
  readonly #addresses = new KeyedCounter();
  /** The bound of the last refusal, so that a flood of refusals is one line in the log. */
  #refused: string | undefined;

  constructor(bounds: ConnectionBounds, logger: Logger) {
    this.#bounds = bounds;
    this.#logger = logger;
  }

  /** Counts the connections of a server from now on, together with those of other servers. */
  watch(server: Server): void {
    server.on("connection", (socket) => this.#take(socket));
  }

  /** Number of open connections. */
  get size(): number {
    return this.#addresses.total;
  }

  #take(socket: Socket): void {
    const { total, each } = this.#bounds;
    const address = networkOf(socket.remoteAddress);
    if (this.#addresses.of(address) >= each)
      this.#refuse(socket, "429 Too Many Requests", `${each} connections of ${address}`);
    else if (this.size >= total) this.#refuse(socket, "503 Service Unavailable", `${total} connections`);
    else {
      this.#addresses.add(address, 1);
      socket.on("close", () => this.#addresses.add(address, -1));
    }
  }

  #refuse(socket: Socket, status: string, bound: string): void {
    if (this.#refused !== bound)
      this.#logger.warn({}, `Refused a connection: ${bound} are open, the maximum`);
    this.#refused = bound;
    socket.end(
      `HTTP/1.1 ${status}\r\nRetry-After: ${RETRY_SECONDS}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
    );
    socket.destroySoon();
  }
}
