import type { SecurityScheme } from "../protocol/model.js";
import { inTable } from "./api-keys.js";
import { authorization } from "./headers.js";
import type { IncomingRequest } from "./incoming-request.js";
import { type Credential, type Identity, proofOf, type Verifier, type VerifierAnswer } from "./verifier.js";

/** Says whom a token belongs to. */
export type TokenCheck = (
  token: string,
  request: IncomingRequest,
) => VerifierAnswer | Promise<VerifierAnswer>;

/**
 * Vouches for callers by tokens that mean nothing by themselves: written down here, or known to somebody who can be asked
 * (introspection, RFC 7662). Fits OAuth 2.0, OpenID Connect and every HTTP scheme but Basic.
 *
 * @param known whom each token belongs to, by token; or a function that finds out
 * @throws TypeError for a token that is empty or belongs to nobody
 */
export function bearerTokens(known: Readonly<Record<string, Identity | string>> | TokenCheck): Verifier {
  const check = typeof known === "function" ? known : inTable(known);
  return {
    open(scheme) {
      const read = tokenReader(scheme);
      return async (request) => {
        const token = read(request);
        return token?.value === undefined ? token : proofOf(await check(token.value, request));
      };
    },
  };
}

/** The characters of a token as RFC 6750 §2.1 has them. */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * How the tokens of a scheme are found in a request.
 * @throws TypeError when the scheme has none
 */
export function tokenReader(scheme: SecurityScheme): (request: IncomingRequest) => Credential<string> {
  const word = tokenWord(scheme)?.toLowerCase();
  if (word === undefined) throw new TypeError("has no token, which is what its verifier checks");
  return (request) => {
    const found = authorization(request, word);
    if (found?.value === undefined || word !== "bearer" || TOKEN.test(found.value)) return found;
    return { refused: "malformed" };
  };
}

/** The word before the tokens of a scheme in the header `Authorization`; undefined when it has no tokens. */
export function tokenWord(scheme: SecurityScheme): string | undefined {
  const { httpAuthSecurityScheme: http } = scheme;
  if (http !== undefined) return http.scheme.toLowerCase() === "basic" ? undefined : http.scheme;
  const bearer =
    scheme.oauth2SecurityScheme !== undefined || scheme.openIdConnectSecurityScheme !== undefined;
  return bearer ? "Bearer" : undefined;
}
