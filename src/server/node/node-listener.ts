import type { IncomingMessage, ServerResponse } from "node:http";
import { AgentServer, type Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { exchangeOf } from "./exchange.js";
import { NodeHost } from "./node-host.js";

/** A request listener for an HTTP server of Node. */
export interface NodeListener {
  /** @param next called for a request that is for no agent; without it such a request gets status 404 */
  (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void): void;
  /**
   * Refuses new requests, ends open streams cleanly, waits for pending responses, stops the agents' executors and sends pending webhooks.
   * It returns at most a second after the grace. A second call returns at once.
   * @param grace seconds for responses and webhooks together; 10 by default
   */
  close(grace?: number): Promise<void>;
}

/**
 * Creates a listener for `http.createServer`, or for a framework that accepts such listeners. It serves one agent, or several by path.
 * The application listens, and limits headers, connections and the time of a request.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options
 * @example
 * ```ts
 * http.createServer(nodeListener(agent)).listen(4000);
 * ```
 */
export function nodeListener(agents: Agents, options: EmbeddedOptions<IncomingMessage> = {}): NodeListener {
  const server = new AgentServer(agents, serverOptionsOf(options));
  server.settleAt(undefined);
  const host = new NodeHost(server);
  const listen = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void): void => {
    const exchange = exchangeOf(req, res);
    const pass = next ?? (() => host.answerNothingHere(exchange));
    host.handle(exchange).then(
      (isOurs) => isOurs || pass(),
      (error: unknown) => (next === undefined ? res.destroy() : next(error)),
    );
  };
  return Object.assign(listen, { close: (grace?: number) => server.close(grace) });
}
