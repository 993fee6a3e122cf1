/**
 * Serving agents on any runtime that has `Request` and `Response`.
 *
 * @packageDocumentation
 */

export type { ClientCertificate } from "../../auth/incoming-request.js";
export type { Agents } from "../agent-server.js";
export type { ServerOptions } from "../settings.js";
export { createHandler, type FetchHandler } from "./create-handler.js";
export type { RequestInfo } from "./fetch-request.js";
