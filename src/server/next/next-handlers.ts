import type { Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { createHandler, type FetchHandler } from "../fetch/create-handler.js";
import type { RequestInfo } from "../fetch/fetch-request.js";

/** What Next tells a route handler besides the request. */
interface RouteContext {
  readonly params: Promise<Readonly<Record<string, string | readonly string[] | undefined>>>;
}

/** A route handler of Next. */
export type NextHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** Options of agents in an application of Next. */
export interface NextOptions extends EmbeddedOptions<Request>, Pick<RequestInfo, "waitUntil"> {}

/**
 * Makes the route handlers of a catch-all segment of Next, such as `app/agent/[[...path]]/route.ts`, which exports them: they serve
 * one agent, or several by path, below that segment. The agents begin with the first request, so that a build starts nothing.
 *
 * @returns handlers that throw CardError for a card that must not be served, and TypeError for options that cannot be right
 * @example
 * ```ts
 * const { GET, POST, DELETE, OPTIONS } = nextHandlers(agent);
 * ```
 */
export function nextHandlers(
  agents: Agents,
  options: NextOptions = {},
): Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS", NextHandler> &
  Pick<FetchHandler, "close"> {
  const { waitUntil, ...embedded } = options;
  let handler: FetchHandler | undefined;
  const answer: NextHandler = async (request, { params }) => {
    handler ??= createHandler(agents, serverOptionsOf(embedded));
    const rest = Object.values(await params).find(Array.isArray) ?? [];
    const parts = new URL(request.url).pathname.replace(/\/$/, "").split("/");
    const base = parts.slice(0, parts.length - rest.length).join("/");
    return handler(request, { base, source: request, ...(waitUntil && { waitUntil }) });
  };
  const close = async (grace?: number) => handler?.close(grace);
  const verbs = {
    GET: answer,
    HEAD: answer,
    POST: answer,
    PUT: answer,
    PATCH: answer,
    DELETE: answer,
    OPTIONS: answer,
  };
  return { ...verbs, close };
}
