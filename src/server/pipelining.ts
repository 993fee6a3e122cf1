import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "koa";

/** Requests that a connection may send ahead of their answers. No client is known to send more than a few. */
const AHEAD = 100;

/**
 * Requests that came on a connection before the answers to earlier ones had left. Each is looked at when its answer can leave:
 * until then it costs no more than its headers, and answers that are not read do not pile up.
 */
export class Pipelining {
  readonly #waiting = new WeakMap<Socket, number>();

  /**
   * Waits until the answers before this one have left. A connection with too many requests ahead is closed.
   * @returns false when the connection has gone
   */
  turn({ req, res }: Context): Promise<boolean> {
    const { socket } = req;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    this.#waiting.set(socket, waiting);
    if (waiting > AHEAD) socket.destroy();
    return new Promise((resolve) => {
      const turn = () => settle(true);
      const gone = () => settle(false);
      const settle = (isTurn: boolean) => {
        res.off("socket", turn);
        req.off("close", gone);
        this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
        resolve(isTurn);
      };
      // An answer that has no connection yet is not told when that goes; the request is.
      if (socket.destroyed) gone();
      else {
        res.once("socket", turn);
        req.once("close", gone);
      }
    });
  }
}

/** Whether earlier answers of the connection have not left yet. */
export function isAhead(res: ServerResponse): boolean {
  return res.socket === null && !res.closed;
}
