import type { Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { createHandler, type FetchHandler } from "../fetch/create-handler.js";
import type { RequestInfo } from "../fetch/fetch-request.js";

/** What Next.js passes to a route handler besides the request. */
interface RouteContext {
  readonly params: Promise<Readonly<Record<string, string | readonly string[] | undefined>>>;
}

/** A route handler of Next.js. */
export type NextHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** Options of agents in a Next.js application. */
export interface NextOptions extends EmbeddedOptions<Request>, Pick<RequestInfo, "waitUntil"> {}

/**
 * Creates the route handlers that a catch-all segment of Next.js exports, for example `app/agent/[[...path]]/route.ts`. They serve one
 * agent, or several by path, below that segment. The agents start with the first request, so that a build starts nothing.
 *
 * @returns handlers that reject with CardError for an invalid card, and with TypeError for invalid options. `tick` takes over unfinished
 *   work, `close` stops the agents
 * @example
 * ```ts
 * const { GET, POST, DELETE, OPTIONS } = nextHandlers(agent);
 * ```
 */
export function nextHandlers(
  agents: Agents,
  options: NextOptions = {},
): Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS", NextHandler> &
  Pick<FetchHandler, "tick" | "close"> {
  const { waitUntil, ...embedded } = options;
  let handler: FetchHandler | undefined;
  const begin = () => {
    handler ??= createHandler(agents, serverOptionsOf(embedded));
    return handler;
  };
  const answer: NextHandler = async (request, { params }) => {
    const handle = begin();
    const rest = Object.values(await params).find(Array.isArray) ?? [];
    const parts = new URL(request.url).pathname.replace(/\/$/, "").split("/");
    const base = parts.slice(0, parts.length - rest.length).join("/");
    return handle(request, { base, source: request, ...(waitUntil && { waitUntil }) });
  };
  const tick = async () => begin().tick();
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
  return { ...verbs, tick, close };
}
