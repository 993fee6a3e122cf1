import { discoveredIssuer } from "./discovered-issuer.js";
import { signedTokens } from "./json-web-tokens.js";
import { checkedUrl, type Fetch } from "./remote-document.js";
import type { TokenRules } from "./token-rules.js";
import type { Verifier } from "./verifier.js";

/** What {@link openIdConnect} goes by. */
export interface OpenIdConnectOptions extends TokenRules {
  /** Who must have issued a token; by default the issuer that stands at the scheme's `openIdConnectUrl`. */
  readonly issuer?: string;
  /** Instead of the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/**
 * Vouches for callers by the tokens of an OpenID Connect provider, found through `openIdConnectUrl` of the card's scheme.
 *
 * @throws TypeError for options under which no token could be right, or a wrong one could
 */
export function openIdConnect(options: OpenIdConnectOptions): Verifier {
  const { issuer, fetch } = options;
  return signedTokens(options, ({ openIdConnectSecurityScheme: scheme }) => {
    if (scheme === undefined) throw new TypeError("is not OpenID Connect, which is what its verifier checks");
    return discoveredIssuer({ url: checkedUrl(scheme.openIdConnectUrl), issuer, fetch });
  });
}
