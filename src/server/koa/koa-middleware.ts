import type { Context, Middleware } from "koa";
import { AgentServer, type Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { NodeHost } from "../node/node-host.js";
import type { AgentApp } from "./create-app.js";
import { koaExchange } from "./middleware.js";

/** A Koa middleware that serves agents. `close` stops them. */
export type KoaMiddleware = Middleware & Pick<AgentApp, "close">;

/**
 * Creates a middleware for a Koa application. It serves one agent, or several by path, and passes all other requests to the next
 * middleware. Mount it below a path with `koa-mount`.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @example
 * ```ts
 * const app = new Koa();
 * app.use(mount("/agent", koaMiddleware(agent)));
 * ```
 */
export function koaMiddleware(agents: Agents, options: EmbeddedOptions<Context> = {}): KoaMiddleware {
  const server = new AgentServer(agents, serverOptionsOf(options));
  server.settleAt(undefined);
  const host = new NodeHost(server);
  const middleware: Middleware = async (ctx, next) => {
    if (await host.handle(koaExchange(ctx as Context))) ctx.respond = false;
    else await next();
  };
  return Object.assign(middleware, { close: (grace?: number) => server.close(grace) });
}
