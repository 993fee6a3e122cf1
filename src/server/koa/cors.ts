import type { Context } from "koa";

/** Response headers that scripts of another origin may read. */
const EXPOSED = "A2A-Version, A2A-Extensions, ETag, Retry-After, WWW-Authenticate";
const PREFLIGHT_SECONDS = "7200";

/** Which origins may use a resource: any, or those in the list. */
export type Origins = true | readonly string[];

/** Lets scripts of allowed origins read the answer. Credentials of the browser are never asked for. */
export function allowOrigin(ctx: Context, origins: Origins): void {
  if (origins !== true && origins.length === 0) return;
  if (origins !== true) ctx.vary("Origin");
  const { origin } = ctx.req.headers;
  if (origins !== true && (origin === undefined || !origins.includes(origin))) return;
  ctx.set("Access-Control-Allow-Origin", origins === true ? "*" : (origin ?? ""));
  ctx.set("Access-Control-Expose-Headers", EXPOSED);
}

/** Whether a browser asks for permission to send something. */
export function isPreflight({ method, req }: Context): boolean {
  return method === "OPTIONS" && req.headers["access-control-request-method"] !== undefined;
}

/** Answers a preflight; {@link allowOrigin} has said whether the origin may. */
export function answerPreflight(ctx: Context, methods: string): void {
  ctx.status = 204;
  if (!ctx.res.hasHeader("Access-Control-Allow-Origin")) return;
  ctx.set("Access-Control-Allow-Methods", methods);
  ctx.set("Access-Control-Allow-Headers", ctx.get("Access-Control-Request-Headers") || "*");
  ctx.set("Access-Control-Max-Age", PREFLIGHT_SECONDS);
  ctx.vary("Access-Control-Request-Headers");
}
