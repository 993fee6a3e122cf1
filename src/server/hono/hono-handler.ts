import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { createHandler, type FetchHandler } from "../fetch/create-handler.js";
import { urlParts } from "../fetch/fetch-request.js";
import { splitMount } from "../mounted-path.js";

/** A Hono handler that serves agents. `tick` takes over unfinished work, `close` stops the agents. */
export type HonoHandler = MiddlewareHandler & Pick<FetchHandler, "tick" | "close">;

/** The part of the environment in which Hono's server for Node passes the connection. */
interface Bindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
}

/**
 * Creates a handler for `app.use` of Hono. It serves one agent, or several by path, below the path of its route, and passes all other
 * requests to the next handler.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @example
 * ```ts
 * const app = new Hono();
 * app.use("/agent/*", honoHandler(agent));
 * ```
 */
export function honoHandler(agents: Agents, options: EmbeddedOptions<Context> = {}): HonoHandler {
  const handler = createHandler(agents, serverOptionsOf(options));
  const answer: MiddlewareHandler = async (c, next) => {
    if (c.req === undefined) throw new TypeError('honoHandler: use app.use("/agent/*", …), not app.mount');
    const { raw } = c.req;
    const { incoming } = (c.env ?? {}) as Bindings;
    // Node has no execution context. Hono would throw for every request there, which costs more than the answer.
    const work = incoming === undefined ? executionOf(c) : undefined;
    return handler(raw, {
      base: splitMount(urlParts(raw.url).path, routePath(c)).base,
      address: incoming?.socket?.remoteAddress,
      // Hono keeps a body that its own methods have read.
      parsed: raw.bodyUsed ? await c.req.text().catch(() => undefined) : undefined,
      ...(work && { waitUntil: (promise) => work.waitUntil(promise) }),
      next: async () => {
        await next();
        return c.res;
      },
      source: c,
    });
  };
  return Object.assign(answer, { tick: handler.tick, close: handler.close });
}

/** The execution context. Hono throws if the runtime has none. */
function executionOf(c: Context): Context["executionCtx"] | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
}
