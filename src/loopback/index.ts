/**
 * Signs a person in with a browser, from a program on Node.
 *
 * @packageDocumentation
 */

export type { AuthorizationRedirect } from "../client/auth/authorization-code.js";
export { type LoopbackOptions, loopbackRedirect } from "./loopback-redirect.js";
