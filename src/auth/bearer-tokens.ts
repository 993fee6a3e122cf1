import type { SecurityScheme } from "../protocol/model.js";
import { authorizationCredential } from "./headers.js";
import type { IncomingRequest } from "./incoming-request.js";
import { inTable } from "./secret-table.js";
import { type Credential, type Identity, proofOf, type Verifier, type VerifierAnswer } from "./verifier.js";

/** Looks up the owner of a token. */
export type TokenCheck = (
  token: string,
  request: IncomingRequest,
) => VerifierAnswer | Promise<VerifierAnswer>;

/**
 * Authenticates callers by opaque tokens: from a table, or from a service that can be asked (introspection, RFC 7662).
 * Fits OAuth 2.0, OpenID Connect and every HTTP scheme except Basic.
 *
 * @param known owners by token, or a function that looks them up
 * @example
 * ```ts
 * verifiers: { oauth: bearerTokens(async (token) => (await introspect(token)).sub) }
 * ```
 * @throws TypeError for an argument that is neither a table nor a function, an empty token, or an owner that is not an identity
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

/** The characters of a token (RFC 6750 §2.1). */
const TOKEN = /^[\w.~+/-]+=*$/;

/**
 * Makes the function that reads the token of a scheme from a request.
 * @throws TypeError when the scheme has no tokens
 */
export function tokenReader(scheme: SecurityScheme): (request: IncomingRequest) => Credential<string> {
  const word = tokenWord(scheme)?.toLowerCase();
  if (word === undefined) throw new TypeError("has no token, which is what its verifier checks");
  return (request) => {
    const found = authorizationCredential(request, word);
    if (found?.value === undefined || word !== "bearer" || TOKEN.test(found.value)) return found;
    return { refused: "malformed" };
  };
}

/** The scheme name before tokens in the header `Authorization`; undefined for a scheme without tokens. */
export function tokenWord(scheme: SecurityScheme): string | undefined {
  const { httpAuthSecurityScheme: http } = scheme;
  if (http !== undefined) return http.scheme.toLowerCase() === "basic" ? undefined : http.scheme;
  const bearer =
    scheme.oauth2SecurityScheme !== undefined || scheme.openIdConnectSecurityScheme !== undefined;
  return bearer ? "Bearer" : undefined;
}
