import { argumentError } from "../../protocol/argument.js";
import type { SecurityScheme } from "../../protocol/model.js";
import type { Fetch } from "../exchange.js";

/** A credential that a call needs, by its security scheme. */
export interface CredentialNeed {
  /** Name of the scheme in the card. */
  readonly name: string;
  readonly scheme: SecurityScheme;
  /** Scopes that the card requires. */
  readonly scopes: readonly string[];
  /** The value that the agent has refused with status 401, when the client asks for a new one (§7.3). */
  readonly rejected?: string;
  /** The client's `fetch`, for providers that make requests. */
  readonly fetch: Fetch;
  /** Whether secrets may be sent to a URL. The arguments of `connect` decide this, not the card (§13.4). */
  readonly allows: (url: URL) => boolean;
  /** Aborts when each call that waits for the credential is aborted or exceeds a time limit. */
  readonly signal: AbortSignal;
}

/**
 * Returns the credential for a scheme; undefined if the caller has none. The credential is the key of an API key scheme; the token for
 * HTTP bearer, OAuth2 and OpenID Connect; the result of {@link basic} for HTTP basic; any string for mutual TLS, where the platform sends
 * the certificate. A provider may be called for every request, so it should cache.
 *
 * @example
 * ```ts
 * const credentials: CredentialProvider = ({ name }) => (name === "key" ? process.env.AGENT_KEY : undefined);
 * ```
 */
export type CredentialProvider = (need: CredentialNeed) => string | undefined | Promise<string | undefined>;

/** Credentials by the names of the card's security schemes, or one provider for all of them. */
export type Credentials = CredentialProvider | Readonly<Record<string, string | CredentialProvider>>;

/**
 * Encodes user name and password as the credential of HTTP basic authentication.
 *
 * @example
 * ```ts
 * const client = await connect(url, { credentials: { basic: basic("alice", password) } });
 * ```
 * @throws TypeError for a name or a password that is not a string, such as an environment variable that is not set
 */
export function basic(user: string, password: string): string {
  for (const given of [user, password])
    if (typeof given !== "string") throw argumentError("basic needs a user name and a password", given);
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return btoa(String.fromCharCode(...bytes));
}
