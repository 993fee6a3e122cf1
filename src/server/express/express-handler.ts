import type { Request, RequestHandler } from "express";
import type { Agents } from "../agent-server.js";
import type { EmbeddedOptions } from "../embedded-options.js";
import { type NodeListener, nodeListener } from "../node/node-listener.js";

/** An Express handler that serves agents. `close` stops them. */
export type ExpressHandler = RequestHandler & Pick<NodeListener, "close">;

/**
 * Creates a handler for `app.use` of Express. It serves one agent, or several by path, below the path at which it is mounted, and passes
 * all other requests to the next handler. If a parser such as `express.json()` has read a body, the handler takes it from `req.body`.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @example
 * ```ts
 * const app = express();
 * app.use("/agent", expressHandler(agent));
 * ```
 */
export function expressHandler(agents: Agents, options: EmbeddedOptions<Request> = {}): ExpressHandler {
  return nodeListener(agents, options as EmbeddedOptions<object>);
}
