import type { SecurityScheme } from "../../protocol/model.js";
import type { Fetch } from "../exchange.js";

/** What a call needs for one security scheme of the card. */
export interface CredentialNeed {
  /** Name of the scheme in the card. */
  readonly name: string;
  readonly scheme: SecurityScheme;
  /** Scopes that the card asks for. */
  readonly scopes: readonly string[];
  /** The value given before, when the agent has refused it: a fresh one is wanted (§7.3). */
  readonly rejected?: string;
  /** The client's `fetch`, for providers that have to ask someone. */
  readonly fetch: Fetch;
  /** Whether the caller agrees that secrets go to this URL; what a card says is not enough (§13.4). */
  readonly allows: (url: URL) => boolean;
  readonly signal: AbortSignal;
}

/**
 * Gives the value for a scheme, or undefined when it has none for it: the key of an API key scheme, the token behind `Bearer`
 * for HTTP bearer, OAuth2 and OpenID Connect, the base64 pair for HTTP basic, anything for mutual TLS, where the platform
 * shows the certificate. Asked before every call, so it must remember what is worth remembering.
 */
export type CredentialProvider = (need: CredentialNeed) => string | undefined | Promise<string | undefined>;

/** Credentials by the names of the card's security schemes, or one provider for all of them. */
export type Credentials = CredentialProvider | Readonly<Record<string, string | CredentialProvider>>;

/** The value of HTTP basic authentication for a user. */
export function basic(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return btoa(String.fromCharCode(...bytes));
}

/** Asks for the value of one scheme. */
export async function valueFor(credentials: Credentials, need: CredentialNeed): Promise<string | undefined> {
  if (typeof credentials === "function") return credentials(need);
  const given = Object.hasOwn(credentials, need.name) ? credentials[need.name] : undefined;
  return typeof given === "function" ? given(need) : given;
}
