/**
 * Serves agents in an Express application.
 *
 * @packageDocumentation
 */

export type { Agents } from "../agent-server.js";
export type { EmbeddedOptions } from "../embedded-options.js";
export type { ServerOptions } from "../settings.js";
export { type ExpressHandler, expressHandler } from "./express-handler.js";
