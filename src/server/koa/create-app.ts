import type { IncomingMessage, ServerResponse } from "node:http";
import Koa from "koa";
import { AgentServer, type Agents } from "../agent-server.js";
import type { ServerOptions } from "../settings.js";
import { AgentMiddleware } from "./middleware.js";

/**
 * A Koa app that serves agents. Middleware that is added to it gets the requests that are for no agent and no document of the server; with
 * HTTP+JSON at the root there are none. A middleware that is put before the agents, with `app.middleware.unshift`, gets every request.
 */
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

/** An error as middleware of Koa throws it. */
type Failure = Error & { readonly expose?: boolean; readonly status?: number };

/** The app of a server whose URL is known, or will be set later. */
export function appOf(server: AgentServer): AgentApp {
  const app = new Koa();
  const agents = new AgentMiddleware(server, (req, res) => app.createContext(req, res));
  const middleware: Koa.Middleware = (ctx, next) => agents.handle(ctx, next);
  app.use(middleware);
  // Koa calls this unless the application listens to errors, and would print them.
  app.onerror = (err: Failure, ctx?: Koa.Context) => {
    const { logger } = server.settings;
    if (ctx !== undefined && isGone(ctx.res)) logger.debug({ err }, "A connection failed");
    // The caller gets the text of an exposed error.
    else if (!err.expose && err.status !== 404) logger.error({ err }, "A request failed");
  };
  const callback = () => {
    const handleInKoa = Koa.prototype.callback.call(app);
    return (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      // A middleware that the application has put before the agents gets every request.
      const isFirst = app.middleware[0] === middleware;
      const answered = isFirst ? agents.answerOperation(req, res) : undefined;
      if (answered === undefined) return handleInKoa(req, res);
      const failed = (error: unknown) => {
        app.emit("error", error, app.createContext(req, res));
        res.destroy();
      };
      return answered.then(() => undefined, failed);
    };
  };
  return Object.assign(app, { callback, close: (grace?: number) => server.close(grace) });
}

/** Whether a connection has closed before its response was sent. A response that was sent has no socket. */
function isGone({ socket, writableFinished }: ServerResponse): boolean {
  return socket?.destroyed ?? !writableFinished;
}
