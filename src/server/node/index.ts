/**
 * Serves agents on an HTTP server of Node.
 *
 * @packageDocumentation
 */

export type { Agents } from "../agent-server.js";
export type { EmbeddedOptions } from "../embedded-options.js";
export type { ServerOptions } from "../settings.js";
export { type NodeListener, nodeListener } from "./node-listener.js";
