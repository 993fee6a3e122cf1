import { Readable } from "node:stream";
import type { Context } from "koa";
import type { BodyReply, PiecesReply } from "../bindings/http.js";
import type { Logger } from "../logger.js";

/** Sends an answer that is complete. */
export function send(ctx: Context, { status, headers, body }: BodyReply): void {
  begin(ctx, status, headers);
  ctx.response.body = body;
}

/** Bytes of pieces that may wait for the connection; the next piece is made when there are fewer. */
const AHEAD = 64 * 1024;

/** Sends an answer whose body is made piece by piece, as fast as its reader takes it. */
export function sendPieces(ctx: Context, { status, headers, pieces }: PiecesReply, logger: Logger): void {
  const body = Readable.from(pieces, { objectMode: false, highWaterMark: AHEAD });
  body.once("error", (err) => {
    // Half an answer must not look like a whole one.
    logger.error({ err }, "An answer broke off");
    ctx.res.destroy();
  });
  begin(ctx, status, headers);
  ctx.response.body = body;
}

function begin({ response }: Context, status: number, headers: BodyReply["headers"]): void {
  response.status = status;
  for (const name in headers) response.set(name, headers[name] as string);
}

/** Sends a value as JSON. */
export function sendJson(ctx: Context, value: unknown, status = 200): void {
  send(ctx, { status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
}
