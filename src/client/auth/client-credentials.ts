import { argumentError } from "../../protocol/argument.js";
import { basic, type CredentialNeed, type CredentialProvider } from "./credentials.js";
import { endpoint } from "./issuer-endpoint.js";
import { type ClientIdentity, requestToken, type Token, tokenGetter } from "./oauth-token.js";

/** Options of {@link clientCredentials}: the client acts on its own behalf. */
export interface ClientCredentialsOptions extends ClientIdentity {
  readonly clientSecret: string;
  /** Token endpoint; by default the card's, if credentials may be sent to its origin. */
  readonly tokenUrl?: string | undefined;
  /** Scopes to request; by default those of the card's security requirements. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Gets tokens by the OAuth2 client credentials flow (RFC 6749 §4.4) and caches them until they are about to expire or are refused.
 *
 * The provider returns undefined for a scheme without this flow, unless the options name the token endpoint. It throws ClientError
 * CREDENTIALS_MISSING when the JSON of the token endpoint is an error or has no token; ORIGIN_NOT_ALLOWED for an endpoint in the card whose
 * origin the caller has not allowed; CARD_INVALID for one that is not a URL; TypeError for an endpoint in the options that is not a URL;
 * the errors of a request that fails, such as UNREACHABLE; what the token store throws; and the reason of the signal.
 *
 * @throws TypeError when the options have no client id or no secret
 * @example
 * ```ts
 * const client = await connect(url, {
 *   credentials: { oauth: clientCredentials({ clientId: "planner", clientSecret: secret }) },
 * });
 * ```
 */
export function clientCredentials(options: ClientCredentialsOptions): CredentialProvider {
  const getToken = tokenGetter(options, "clientCredentials");
  const { clientSecret } = options;
  if (typeof clientSecret !== "string")
    throw argumentError("clientCredentials needs a clientSecret", clientSecret);
  return async (need) => {
    const flow = need.scheme.oauth2SecurityScheme?.flows.clientCredentials;
    if (flow === undefined && options.tokenUrl === undefined) return undefined;
    const url = endpoint(options.tokenUrl, flow?.tokenUrl ?? "", need);
    return getToken(need, { flow, url }, (shared) => granted(url, options, shared));
  };
}

function granted(url: URL, options: ClientCredentialsOptions, need: CredentialNeed): Promise<Token> {
  const scope = (options.scopes ?? need.scopes).join(" ") || undefined;
  const { clientId, clientSecret } = options;
  const identified: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set(
      "Authorization",
      `Basic ${basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret))}`,
    );
    return need.fetch(input, { ...init, headers });
  };
  const form = { grant_type: "client_credentials", scope };
  return requestToken(url, form, { fetch: identified, signal: need.signal });
}
