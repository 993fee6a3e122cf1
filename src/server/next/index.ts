/**
 * Serves agents in a Next.js application.
 *
 * @packageDocumentation
 */

export type { Agents } from "../agent-server.js";
export type { EmbeddedOptions } from "../embedded-options.js";
export type { ServerOptions } from "../settings.js";
export { type NextHandler, type NextOptions, nextHandlers } from "./next-handlers.js";
