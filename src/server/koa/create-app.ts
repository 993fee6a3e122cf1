import Koa from "koa";
import { AgentServer, type Agents } from "../agent-server.js";
import type { ServerOptions } from "../settings.js";
import { AgentMiddleware } from "./middleware.js";

/** A Koa app that serves agents. Middleware added to it sees the requests that belong to no agent. */
export interface AgentApp extends Koa {
  /**
   * Refuses new requests, ends open streams cleanly, waits for pending responses, stops the agents' executors and sends
   * what webhooks still wait for. It returns a second after the grace at the latest.
   * @param grace seconds to wait for answers and webhooks; 10 by default
   */
  close(grace?: number): Promise<void>;
}

/**
 * Creates a Koa app that serves one agent, or several by path. Use it to serve agents beside other routes; otherwise use {@link serve}.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @example
 * ```ts
 * const app = createApp(agent, { publicUrl: "https://example.com/agent" });
 * http.createServer(app.callback()).listen(4000);
 * ```
 */
export function createApp(agents: Agents, options: ServerOptions = {}): AgentApp {
  const server = new AgentServer(agents, options);
  server.settleAt(undefined);
  return appOf(server);
}

/** The app of a server that knows its address or will be told it. */
export function appOf(server: AgentServer): AgentApp {
  const app = new Koa();
  const middleware = new AgentMiddleware(server);
  app.use((ctx, next) => middleware.handle(ctx, next));
  // Koa prints errors unless someone listens. What arrives here are connections that broke while they were written to.
  app.on("error", (err: unknown) => server.settings.logger.debug({ err }, "A connection failed"));
  return Object.assign(app, { close: (grace?: number) => server.close(grace) });
}
