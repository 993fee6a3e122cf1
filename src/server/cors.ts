import type { BodyReply, HostRequest, HostResponse } from "./host.js";
import { noHeaders, type ReplyHeaders } from "./operation-request.js";

type Asking = Pick<HostRequest, "method" | "headers">;

/** Which origins may use a resource: any, or those in the list. */
export type Origins = true | readonly string[];

/** Response headers that scripts of another origin may read. */
const EXPOSED = "A2A-Version, A2A-Extensions, ETag, Retry-After, WWW-Authenticate";
const PREFLIGHT_SECONDS = "7200";

const forAny: ReplyHeaders = Object.freeze({
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED,
});

/** Headers that allow scripts of other origins to read a response. Credentials of the browser are never allowed. */
export function allowOrigin({ headers }: Asking, origins: Origins): ReplyHeaders {
  if (origins === true) return forAny;
  if (origins.length === 0) return noHeaders;
  const { origin } = headers;
  if (typeof origin !== "string" || !origins.includes(origin)) return { Vary: "Origin" };
  return { ...forAny, "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** Whether a request is a preflight request of a browser. */
export function isPreflight({ method, headers }: Asking): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/**
 * The reply to a preflight request.
 * @param allowed the result of {@link allowOrigin} for the request
 */
export function preflightReply({ headers }: Asking, allowed: ReplyHeaders, methods: string): BodyReply {
  const reply: BodyReply = { status: 204, headers: allowed, body: null };
  if (allowed["Access-Control-Allow-Origin"] === undefined) return reply;
  return withMoreHeaders(reply, {
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": String(headers["access-control-request-headers"] || "*"),
    "Access-Control-Max-Age": PREFLIGHT_SECONDS,
    Vary: "Access-Control-Request-Headers",
  });
}

/** A reply with additional headers. The values of `Vary` are joined. */
export function withMoreHeaders<Reply extends HostResponse<unknown>>(
  reply: Reply,
  more: ReplyHeaders,
): Reply {
  if (more === noHeaders) return reply;
  const headers = { ...reply.headers, ...more };
  if (reply.headers.Vary !== undefined && more.Vary !== undefined) {
    headers.Vary = `${reply.headers.Vary}, ${more.Vary}`;
  }
  return { ...reply, headers };
}
