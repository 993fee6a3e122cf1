import Koa from "koa";
import type { ServerOptions } from "../settings.js";
import { Router } from "./router.js";
import { AgentServer, type Agents } from "./site.js";

/** A Koa app that serves agents. Middleware added to it sees the requests that belong to no agent. */
export interface AgentApp extends Koa {
  /**
   * Refuses new requests, ends open streams in good order, waits for answers under way, stops the agents' executors and sends
   * what webhooks still wait for. It returns a second after the grace at the latest.
   * @param grace seconds to wait for answers and webhooks; 10 by default
   */
  close(grace?: number): Promise<void>;
}

/** Seconds that answers under way get when the server stops. */
export const GRACE_SECONDS = 10;

/**
 * Makes a Koa app of one agent or of several by path. Use it to serve agents beside other things; {@link serve} does the rest
 * when there are none.
 *
 * @throws CardError for a card that must not be served
 * @throws TypeError for options that cannot be right
 */
export function createApp(agents: Agents, options: ServerOptions = {}): AgentApp {
  const site = new AgentServer(agents, options);
  site.settleAt(undefined);
  return appOf(site);
}

/** The app of a site that knows its address or will be told it. */
export function appOf(site: AgentServer): AgentApp {
  const app = new Koa();
  const edge = new Router(site);
  app.use((ctx, next) => edge.handle(ctx, next));
  // Koa prints errors unless someone listens. What arrives here are connections that broke while they were written to.
  app.on("error", (err: unknown) => site.settings.logger.debug({ err }, "A connection failed"));
  return Object.assign(app, { close: (grace = GRACE_SECONDS) => site.close(grace) });
}
