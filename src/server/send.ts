import type { Context } from "koa";
import type { BodyReply } from "../bindings/http.js";

/** Sends an answer that is complete. */
export function send({ response }: Context, { status, headers, body }: BodyReply): void {
  response.status = status;
  for (const name in headers) response.set(name, headers[name] as string);
  response.body = body;
}

/** Sends a value as JSON. */
export function sendJson(ctx: Context, value: unknown, status = 200): void {
  send(ctx, { status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
}
