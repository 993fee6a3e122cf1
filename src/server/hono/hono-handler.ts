import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { createHandler, type FetchHandler } from "../fetch/create-handler.js";
import { urlParts } from "../fetch/fetch-request.js";
import { splitMount } from "../mounted-path.js";

/** A handler of Hono that serves agents, and stops them. */
export type HonoHandler = MiddlewareHandler & Pick<FetchHandler, "close">;

/** As much of the environment as the servers of Hono tell of a connection. */
interface Bindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/**
 * Makes a handler for `app.use` of Hono that serves one agent, or several by path, below the path of its route. Requests that are for no
 * agent go to the next handler.
 *
 * @throws CardError for a card that must not be served
 * @throws TypeError for options that cannot be right
 * @example
 * ```ts
 * const app = new Hono();
 * app.use("/agent/*", honoHandler(agent));
 * ```
 */
export function honoHandler(agents: Agents, options: EmbeddedOptions<Context> = {}): HonoHandler {
  const handler = createHandler(agents, serverOptionsOf(options));
  const answer: MiddlewareHandler = async (c, next) => {
    const { raw } = c.req;
    const { incoming } = (c.env ?? {}) as Bindings;
    // The server of Node has none, and Hono throws there: with every request, which costs more than to answer it.
    const work = incoming === undefined ? executionOf(c) : undefined;
    return handler(raw, {
      ...splitMount(urlParts(raw.url).path, routePath(c)),
      address: incoming?.socket?.remoteAddress,
      // Hono keeps what its own methods have read.
      ...(raw.bodyUsed && { parsed: await c.req.text().catch(() => undefined) }),
      ...(work && { waitUntil: (promise) => work.waitUntil(promise) }),
      next: async () => {
        await next();
        return c.res;
      },
      source: c,
    });
  };
  return Object.assign(answer, { close: handler.close });
}

/** Hono throws where the runtime has no such context. */
function executionOf(c: Context): Context["executionCtx"] | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
}
