import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../../net/network-of.js";
import type { HeldBytes, ReceivedBytes } from "../received-bytes.js";

/** Maximum number of waiting requests of a connection. No client is known to send more than a few ahead of their responses. */
const MAX_WAITING = 100;

/**
 * Delays pipelined requests: those that arrive on a connection before the responses to earlier ones were sent. Each is processed when its
 * response can be sent. Until then it takes only the memory of its headers and of the start of its body that Node has read, and responses
 * that are not read do not accumulate.
 */
export class Pipelining {
  readonly #waiting = new WeakMap<Socket, number>();
  readonly #received: ReceivedBytes;

  /** @param received counts the bytes of the waiting requests */
  constructor(received: ReceivedBytes) {
    this.#received = received;
  }

  /**
   * Waits until the earlier responses on the connection were sent. Closes the connection if too many of its requests wait, or if waiting
   * requests would hold more bytes than the limits `bodies` and `bodiesPerAddress` allow.
   * @returns false if the connection was closed
   */
  turn(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const { socket } = req;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    this.#waiting.set(socket, waiting);
    const held = this.#received.hold(networkOf(socket.remoteAddress));
    if (waiting > MAX_WAITING || !hasRoom(held, req)) socket.destroy();
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
      // A response that has no connection yet does not emit `close` when the connection closes. The request does.
      if (socket.destroyed) gone();
      else {
        res.once("socket", turn);
        req.once("close", gone);
      }
    });
  }
}

/** Counts the headers of a waiting request and the part of its body that Node reads. Returns false if the limits are reached. */
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

/** Whether the response waits for earlier responses on its connection. */
export function isAhead(res: ServerResponse): boolean {
  return res.socket === null && !res.closed;
}
