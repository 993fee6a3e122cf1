import { hookNames } from "../auth/guarded-auth.js";
import type { Principal } from "../protocol/call-context.js";
import type { ServerOptions } from "./settings.js";

/**
 * Options of agents that are served in the application of a framework.
 *
 * @example
 * ```ts
 * const options: EmbeddedOptions<Request> = { principal: (request) => userOf(request.headers.get("cookie")) };
 * ```
 */
export interface EmbeddedOptions<Source> extends ServerOptions {
  /**
   * Returns the caller of a request that the application has authenticated; undefined refuses the request. It cannot be
   * combined with `auth.verifiers` or `auth.authenticate`.
   * @example `expressHandler(agent, { principal: (req) => userOf(req.get("cookie") ?? null) })`
   */
  readonly principal?:
    | ((request: Source) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
}

/**
 * The options of a server with the application's authentication.
 * @throws TypeError if `principal` is no function, or `auth.authenticate` is given as well. The server throws one for
 * `auth.verifiers` beside it
 */
export function serverOptionsOf<Source>({ principal, ...options }: EmbeddedOptions<Source>): ServerOptions {
  if (principal === undefined) return options;
  if (options.auth?.authenticate !== undefined)
    throw new TypeError("principal: give it or auth.authenticate, not both");
  if (typeof principal !== "function") throw new TypeError("principal must be a function");
  const authenticate = ({ source }: { readonly source?: unknown }) => principal(source as Source);
  hookNames.set(authenticate, "principal");
  return { ...options, auth: { ...options.auth, authenticate } };
}
