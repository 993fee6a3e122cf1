import type { Context, Middleware } from "koa";
import { AgentServer, type Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { NodeHost } from "../node/node-host.js";
import type { AgentApp } from "./create-app.js";
import { koaExchange } from "./middleware.js";

/** A middleware of Koa that serves agents, and stops them. */
export type KoaMiddleware = Middleware & Pick<AgentApp, "close">;

/**
 * Makes a middleware for an application of Koa that serves one agent, or several by path. `koa-mount` mounts it below a path. Requests
 * that are for no agent go to the next middleware.
 *
 * @throws CardError for a card that must not be served
 * @throws TypeError for options that cannot be right
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
