import type { Context } from "koa";
import type { BodyReply } from "../bindings/http.js";

/** Sends an answer that is complete. */
export function send(ctx: Context, { status, headers, body }: BodyReply): void {
  ctx.status = status;
  for (const name in headers) ctx.set(name, headers[name] as string);
  ctx.body = body;
}

/** Sends a value as JSON. */
export function sendJson(ctx: Context, value: unknown, status = 200): void {
  send(ctx, { status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
}
