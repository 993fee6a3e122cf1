import type { JSONWebKeySet } from "jose";
import { parseUrl } from "../net/url.js";
import { assertObject } from "../protocol/argument.js";
import { keySet, signedTokens } from "./json-web-tokens.js";
import { checkedUrl, type FetchFunction, fetchText, pausing } from "./remote-document.js";
import type { Issuer, TokenRules } from "./token-rules.js";
import type { Verifier } from "./verifier.js";

/** Location of an issuer's metadata. */
interface Discovery {
  /** URL of the metadata (RFC 8414, OpenID Connect Discovery). */
  readonly url: URL;
  /** Issuer that the metadata must name; by default the issuer that the URL belongs to. */
  readonly issuer?: string | undefined;
  readonly fetch?: FetchFunction | undefined;
}

/**
 * Finds an issuer through its metadata, on first use; the result is kept.
 * @returns a function that rejects when the metadata cannot be fetched, is not valid, or belongs to another issuer
 */
function discoveredIssuer(discovery: Discovery): () => Promise<Issuer> {
  const read = pausing(() => discover(discovery));
  let found: Issuer | undefined;
  return async () => {
    found ??= await read();
    return found;
  };
}

async function discover({ url, issuer: expected, fetch }: Discovery): Promise<Issuer> {
  const metadata: unknown = JSON.parse(await fetchText(url, { fetch }));
  const { issuer, jwks_uri: keys } = Object(metadata) as { issuer?: unknown; jwks_uri?: unknown };
  if (typeof issuer !== "string" || typeof keys !== "string") {
    throw new TypeError(`The metadata at ${url.href} names no issuer or no jwks_uri`);
  }
  const fits = expected === undefined ? canBelongTo(issuer, url) : issuer === expected;
  if (!fits) throw new TypeError(`The metadata at ${url.href} belongs to another issuer, ${issuer}`);
  return { issuer, keyFor: keySet({ keys: checkedUrl(keys), ...(fetch && { fetch }) }) };
}

const OPENID = "/.well-known/openid-configuration";
const OAUTH = "/.well-known/oauth-authorization-server";

/**
 * Whether metadata at a URL can belong to an issuer: below the issuer's own URL (OpenID Connect Discovery §4), or
 * between its host and its path (RFC 8414 §3). For other URLs only the origin is compared.
 */
function canBelongTo(issuer: string, { origin, pathname }: URL): boolean {
  if (parseUrl(issuer) === undefined) return false;
  const own = new URL(issuer);
  const path = own.pathname.replace(/\/$/, "");
  if (own.origin !== origin) return false;
  if (pathname.endsWith(OPENID)) return pathname === path + OPENID;
  return !pathname.startsWith(OAUTH) || pathname === OAUTH + path;
}

/** Options of {@link oauth2}. */
export interface OAuth2Options extends TokenRules {
  /** Accepted issuer; by default the one that the metadata names. */
  readonly issuer?: string | undefined;
  /** The issuer's key set, or its https URL; by default the one in the metadata. Needs `issuer`. */
  readonly keys?: JSONWebKeySet | URL | string | undefined;
  /** URL of the issuer's metadata (RFC 8414); by default `oauth2MetadataUrl` of the card's scheme. */
  readonly metadataUrl?: URL | string | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: FetchFunction | undefined;
}

/**
 * Authenticates callers by access tokens that an OAuth 2.0 authorization server signs (RFC 9068). For opaque tokens use
 * `bearerTokens` with a function that introspects them.
 *
 * @example
 * ```ts
 * verifiers: { oauth: oauth2({ audience: "https://agent.example" }) }
 * ```
 * @throws TypeError for options under which no token could be valid, or a forged one could
 */
export function oauth2(options: OAuth2Options): Verifier {
  assertObject(options, "oauth2 needs { audience }, the id of this agent in the tokens");
  const { issuer, keys, metadataUrl, fetch } = options;
  if (keys !== undefined && issuer === undefined) throw new TypeError("oauth2: keys need an issuer");
  const keyFor = keys === undefined ? undefined : keySet({ keys, ...(fetch && { fetch }) });
  return signedTokens(options, ({ oauth2SecurityScheme: scheme }) => {
    if (scheme === undefined) throw new TypeError("is not OAuth 2.0, which is what its verifier checks");
    if (keyFor !== undefined && issuer !== undefined) {
      const known = { issuer, keyFor };
      return () => Promise.resolve(known);
    }
    const url = metadataUrl ?? scheme.oauth2MetadataUrl;
    if (!url) throw new TypeError("has no oauth2MetadataUrl: give its verifier issuer and keys");
    return discoveredIssuer({ url: checkedUrl(url), issuer, fetch });
  });
}

/** Options of {@link openIdConnect}. */
export interface OpenIdConnectOptions extends TokenRules {
  /** Accepted issuer; by default the one that the scheme's `openIdConnectUrl` belongs to. */
  readonly issuer?: string | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: FetchFunction | undefined;
}

/**
 * Authenticates callers by tokens of an OpenID Connect provider, found through `openIdConnectUrl` of the card's scheme.
 *
 * @example
 * ```ts
 * verifiers: { oidc: openIdConnect({ audience: "planner" }) }
 * ```
 * @throws TypeError for options under which no token could be valid, or a forged one could
 */
export function openIdConnect(options: OpenIdConnectOptions): Verifier {
  assertObject(options, "openIdConnect needs { audience }, the id of this agent in the tokens");
  const { issuer, fetch } = options;
  return signedTokens(options, ({ openIdConnectSecurityScheme: scheme }) => {
    if (scheme === undefined) throw new TypeError("is not OpenID Connect, which is what its verifier checks");
    return discoveredIssuer({ url: checkedUrl(scheme.openIdConnectUrl), issuer, fetch });
  });
}
