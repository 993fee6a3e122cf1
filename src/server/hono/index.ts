/**
 * Serves agents in a Hono application.
 *
 * @packageDocumentation
 */

export type { Agents } from "../agent-server.js";
export type { EmbeddedOptions } from "../embedded-options.js";
export type { ServerOptions } from "../settings.js";
export { type HonoHandler, honoHandler } from "./hono-handler.js";
