import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { AgentServer, type Agents } from "../agent-server.js";
import { type EmbeddedOptions, serverOptionsOf } from "../embedded-options.js";
import { splitMount } from "../mounted-path.js";
import { exchangeOf } from "../node/exchange.js";
import { NodeHost } from "../node/node-host.js";

/**
 * Creates a Fastify plugin that serves one agent, or several by path, below the prefix with which it is registered. The hooks of the
 * application run before the agents; its body parsers and schemas do not. The agents stop when the application closes.
 *
 * @throws CardError for an invalid card
 * @throws TypeError for invalid options. The registration fails with one for a prefix that ends with a slash
 * @example
 * ```ts
 * const app = fastify();
 * await app.register(fastifyAgents(agent), { prefix: "/agent" });
 * ```
 */
export function fastifyAgents(
  agents: Agents,
  options: EmbeddedOptions<FastifyRequest> = {},
): FastifyPluginAsync {
  if (agents instanceof Object && "register" in agents)
    throw new TypeError("register fastifyAgents(agent), not fastifyAgents itself");
  const server = new AgentServer(agents, serverOptionsOf(options));
  server.settleAt(undefined);
  const host = new NodeHost(server);
  return async (app) => {
    // Fastify has no route at such a prefix without its slash, which is the URL in the card.
    if (/.\/$/.test(app.prefix)) throw new TypeError(`prefix: write "${app.prefix.slice(0, -1)}"`);
    server.checkMount(app.prefix === "/" ? "" : app.prefix);
    const pattern = `${app.prefix}/*`;
    const answer = (request: FastifyRequest, reply: FastifyReply): void => {
      const { req, res, path: whole, query } = exchangeOf(request.raw, reply.raw);
      const { base, path } = splitMount(whole, pattern);
      // Hooks set headers on the reply, but this answer is sent without the reply.
      const headers = reply.getHeaders();
      for (const name in headers) if (headers[name] !== undefined) reply.raw.setHeader(name, headers[name]);
      const { body: parsed } = request;
      // Nothing is returned: Fastify would wait for a promise with another one.
      host.handle({ req, res, path, query, base, parsed, source: request }).then(
        (isOurs) => {
          if (isOurs) reply.hijack();
          else reply.callNotFound();
        },
        (error: unknown) => void reply.send(error),
      );
    };
    app.removeAllContentTypeParsers();
    // Fastify remembers what an expression matches, but looks for "*" anew in each request.
    app.addContentTypeParser(/^/, (_request, _payload, parsed) => parsed(null));
    app.addHook("preClose", () => server.close());
    // At the root the wildcard matches "/" as well, and leaves it to a route of the application.
    if (app.prefix.length > 1) app.all("/", answer);
    app.all("/*", answer);
  };
}
