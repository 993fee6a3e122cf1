import type { JSONWebKeySet } from "jose";
import { discoveredIssuer } from "./discovered-issuer.js";
import { keySet, signedTokens } from "./json-web-tokens.js";
import { checkedUrl, type Fetch } from "./remote-document.js";
import type { TokenRules } from "./token-rules.js";
import type { Verifier } from "./verifier.js";

/** What {@link oauth2} goes by. */
export interface OAuth2Options extends TokenRules {
  /** Who must have issued a token; by default whoever the metadata describe. */
  readonly issuer?: string;
  /** The issuer's key set, or its https URL; by default the one in the metadata. Needs `issuer`. */
  readonly keys?: JSONWebKeySet | URL | string;
  /** Where the issuer's metadata are (RFC 8414); by default `oauth2MetadataUrl` of the card's scheme. */
  readonly metadataUrl?: URL | string;
  /** Instead of the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Vouches for callers by the access tokens of an OAuth 2.0 authorization server that signs them (RFC 9068). For tokens that
 * only their issuer can read there is `bearerTokens` with a function that asks.
 *
 * @throws TypeError for options under which no token could be right, or a wrong one could
 */
export function oauth2(options: OAuth2Options): Verifier {
  const { issuer, keys, metadataUrl, fetch } = options;
  if (keys !== undefined && issuer === undefined) throw new TypeError("oauth2: keys need an issuer");
  return signedTokens(options, ({ oauth2SecurityScheme: scheme }) => {
    if (scheme === undefined) throw new TypeError("is not OAuth 2.0, which is what its verifier checks");
    if (keys !== undefined && issuer !== undefined) {
      const known = { issuer, keyFor: keySet({ keys, ...(fetch && { fetch }) }) };
      return () => Promise.resolve(known);
    }
    const url = metadataUrl ?? scheme.oauth2MetadataUrl;
    if (!url) throw new TypeError("has no oauth2MetadataUrl: give its verifier issuer and keys");
    return discoveredIssuer({ url: checkedUrl(url), issuer, fetch });
  });
}
