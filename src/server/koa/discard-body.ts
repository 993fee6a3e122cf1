import type { IncomingMessage } from "node:http";

/** How often, and after how many milliseconds each time, it is asked whether the rest of a body has come. */
const ROUNDS = 4;
const ROUND_MS = 500;

/**
 * Reads and drops what is left of the body of a request that has been answered, so that its caller can read the answer and use the
 * connection again. Cuts the connection when there is still more to come after two seconds: the server reads no more of it.
 */
export function discardBody(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return;
  req.resume();
  let rounds = 0;
  // In rounds, because a process that was busy for as long has read nothing in that time.
  const timer = setInterval(() => {
    rounds += 1;
    if (rounds === ROUNDS) req.socket.destroy();
  }, ROUND_MS);
  req.once("close", () => clearInterval(timer));
}
