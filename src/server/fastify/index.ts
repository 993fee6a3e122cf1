/**
 * Serves agents in a Fastify application.
 *
 * @packageDocumentation
 */

export type { Agents } from "../agent-server.js";
export type { EmbeddedOptions } from "../embedded-options.js";
export type { ServerOptions } from "../settings.js";
export { fastifyAgents } from "./fastify-agents.js";
