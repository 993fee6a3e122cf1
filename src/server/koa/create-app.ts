import Koa from "koa";
import { AgentServer, type Agents } from "../agent-server.js";
import type { ServerOptions } from "../settings.js";
import { AgentMiddleware } from "./middleware.js";

/** A Koa app that serves agents. Middleware that is added to it gets the requests that are for no agent. */
export interface AgentApp extends Koa {
  /**
   * Refuses new requests, ends open streams cleanly, waits for pending responses, stops the agents' executors and sends pending webhooks.
   * It returns at most a second after the grace. A second call returns at once.
   * @param grace seconds for responses and webhooks together; 10 by default
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

/** The app of a server whose URL is known, or will be set later. */
export function appOf(server: AgentServer): AgentApp {
  const app = new Koa();
  const middleware = new AgentMiddleware(server);
  app.use((ctx, next) => middleware.handle(ctx, next));
  // Koa prints errors if there is no listener. The errors here are of connections that broke during a write.
  app.on("error", (err: unknown) => server.settings.logger.debug({ err }, "A connection failed"));
  return Object.assign(app, { close: (grace?: number) => server.close(grace) });
}
