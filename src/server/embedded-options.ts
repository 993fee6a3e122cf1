import type { Principal } from "../protocol/call-context.js";
import type { ServerOptions } from "./settings.js";

/**
 * Options of agents in an application of a framework.
 *
 * @example
 * ```ts
 * const options: EmbeddedOptions<Request> = { principal: (request) => userOf(request.headers.get("cookie")) };
 * ```
 */
export interface EmbeddedOptions<Source> extends ServerOptions {
  /**
   * Tells who sends a request that the application has authenticated; undefined refuses it. Takes the place of `auth.verifiers` and
   * `auth.authenticate`.
   * @example `expressHandler(agent, { principal: (req) => userOf(req.get("cookie") ?? null) })`
   */
  readonly principal?:
    | ((request: Source) => Principal | undefined | Promise<Principal | undefined>)
    | undefined;
}

/**
 * The options of a server with the application's authentication.
 * @throws TypeError when another one is given as well
 */
export function serverOptionsOf<Source>({ principal, ...options }: EmbeddedOptions<Source>): ServerOptions {
  if (principal === undefined) return options;
  if (options.auth?.authenticate !== undefined)
    throw new TypeError("principal: give it or auth.authenticate, not both");
  const authenticate = ({ source }: { readonly source?: unknown }) => principal(source as Source);
  return { ...options, auth: { ...options.auth, authenticate } };
}
