/**
 * Serving agents in an application of Koa.
 *
 * @packageDocumentation
 */

export type { Agents } from "../agent-server.js";
export type { EmbeddedOptions } from "../embedded-options.js";
export type { ServerOptions } from "../settings.js";
export { type KoaMiddleware, koaMiddleware } from "./koa-middleware.js";
