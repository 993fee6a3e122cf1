import type { Request, RequestHandler } from "express";
import type { Agents } from "../agent-server.js";
import type { EmbeddedOptions } from "../embedded-options.js";
import { type NodeListener, nodeListener } from "../node/node-listener.js";

/** A handler of Express that serves agents, and stops them. */
export type ExpressHandler = RequestHandler & Pick<NodeListener, "close">;

/**
 * Makes a handler for `app.use` of Express that serves one agent, or several by path, below the path at which it is mounted. Requests
 * that are for no agent go to the next handler. Bodies that `express.json()` has parsed are taken from `req.body`.
 *
 * @throws CardError for a card that must not be served
 * @throws TypeError for options that cannot be right
 * @example
 * ```ts
 * const app = express();
 * app.use("/agent", expressHandler(agent));
 * ```
 */
export function expressHandler(agents: Agents, options: EmbeddedOptions<Request> = {}): ExpressHandler {
  return nodeListener(agents, options as EmbeddedOptions<object>);
}
