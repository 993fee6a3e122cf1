import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../../net/network-of.js";
import type { HeldBytes, ReceivedBytes } from "../received-bytes.js";

/** Maximum number of requests that a connection may send ahead of their answers. No client is known to send more than a few. */
const AHEAD = 100;

/**
 * Holds back pipelined requests: those that arrive on a connection before the answers to earlier ones have left. Each is processed when
 * its answer can leave. Until then it costs no more than its headers, and answers that are not read do not accumulate.
 */
export class Pipelining {
  readonly #waiting = new WeakMap<Socket, number>();
  readonly #received: ReceivedBytes;

  /** @param received counts the bytes of the waiting requests */
  constructor(received: ReceivedBytes) {
    this.#received = received;
  }

  /**
   * Waits until the answers before this one have left. A connection with too many requests ahead is closed.
   * @returns false when the connection has gone
   */
  turn(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const { socket } = req;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    this.#waiting.set(socket, waiting);
    const held = this.#received.hold(networkOf(socket.remoteAddress));
    if (waiting > AHEAD || !hasRoom(held, req)) socket.destroy();
    return new Promise((resolve) => {
      const turn = () => settle(true);
      const gone = () => settle(false);
      const settle = (isTurn: boolean) => {
        res.off("socket", turn);
        req.off("close", gone);
        held.release();
        this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
        resolve(isTurn);
      };
      // An answer without a connection emits nothing when the connection closes; the request does.
      if (socket.destroyed) gone();
      else {
        res.once("socket", turn);
        req.once("close", gone);
      }
    });
  }
}

/** Counts a request that waits: its headers, and what Node has read of its body. */
function hasRoom(held: HeldBytes, { headers, rawHeaders, readableHighWaterMark }: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  const body = encoding === undefined ? Number(length ?? 0) : readableHighWaterMark;
  try {
    held.add(rawHeaders.join("").length + Math.min(body, readableHighWaterMark));
    return true;
  } catch {
    return false;
  }
}

/** Whether earlier answers of the connection have not left yet. */
export function isAhead(res: ServerResponse): boolean {
  return res.socket === null && !res.closed;
}
