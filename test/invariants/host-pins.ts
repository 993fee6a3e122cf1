/** What the entry points export that serve agents in other frameworks and runtimes. */
export const hostPins: Record<string, readonly string[]> = {
  "./fetch": [
    "type Agents",
    "type ClientCertificate",
    "createHandler",
    "type FetchHandler",
    "type RequestInfo",
    "type ServerOptions",
  ],
  "./express": [
    "type Agents",
    "type EmbeddedOptions",
    "type ServerOptions",
    "type ExpressHandler",
    "expressHandler",
  ],
  "./fastify": ["type Agents", "type EmbeddedOptions", "type ServerOptions", "fastifyAgents"],
  "./hono": ["type Agents", "type EmbeddedOptions", "type ServerOptions", "type HonoHandler", "honoHandler"],
  "./koa": [
    "type Agents",
    "type EmbeddedOptions",
    "type ServerOptions",
    "type KoaMiddleware",
    "koaMiddleware",
  ],
  "./next": [
    "type Agents",
    "type EmbeddedOptions",
    "type ServerOptions",
    "type NextHandler",
    "type NextOptions",
    "nextHandlers",
  ],
  "./node": [
    "type Agents",
    "type EmbeddedOptions",
    "type ServerOptions",
    "type NodeListener",
    "nodeListener",
  ],
};
