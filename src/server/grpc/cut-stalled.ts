import type { ServerHttp2Stream } from "node:http2";
import { inBackground, timeoutOf } from "../../async/clock.js";

/** Number of checks in the time for which a reader may take nothing. */
const CHECKS = 4;

/**
 * Watches an HTTP/2 stream until it closes, and cuts it if its reader takes nothing for a time although bytes wait. The timeouts of Node's
 * streams do not detect this: every frame of the connection extends them, also the answers to PINGs of the caller. Bytes should be written
 * in pieces of at most 128 KiB, because a piece is taken as a whole or not.
 * @param seconds without progress; the cut may come up to a quarter of this time later
 */
export function cutStalled(stream: ServerHttp2Stream, seconds: number, cut: () => void): void {
  if (!Number.isFinite(seconds) || stream.destroyed) return;
  let idle = 0;
  const check = (): void => {
    idle = stream.writableLength === 0 ? 0 : idle + 1;
    if (idle > CHECKS) cut();
  };
  const timer = inBackground(setInterval(check, timeoutOf((seconds * 1000) / CHECKS)));
  stream.on("drain", () => {
    idle = 0;
  });
  stream.once("close", () => clearInterval(timer));
}
