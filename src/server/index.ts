/**
 * Serving agents over HTTP.
 *
 * @packageDocumentation
 */

export type { CardKey } from "../card/sign-card.js";
export type { BindingName } from "./binding.js";
// Cards
export { CardError } from "./card-error.js";
// Servers
export { type AgentApp, createApp } from "./create-app.js";
export { type RunningServer, type ServeOptions, serve } from "./serve.js";
export type { Limits, ServerOptions } from "./settings.js";
export type { Agents } from "./site.js";
