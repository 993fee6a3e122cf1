import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";
import { signatureAlgorithms } from "../protocol/signature-algorithms.js";
import { type Proof, proofOf, type Refusal, type VerifierAnswer } from "./verifier.js";

/** Requirements on signed tokens of any issuer. */
export interface TokenRules {
  /** Accepted audiences: the ids of this agent. A token needs one of them; tokens for other audiences are refused. */
  readonly audience: string | readonly string[];
  /** Accepted signature algorithms; by default all that the library supports. Symmetric ones are not allowed. */
  readonly algorithms?: readonly string[] | undefined;
  /** Tolerated clock difference in seconds; 5 by default. */
  readonly clockTolerance?: number | undefined;
  /** Scopes that every token must have, in addition to those of the card. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Required `typ` of the token's header, such as `at+jwt` for access tokens by RFC 9068; any by default. */
  readonly type?: string | undefined;
  /**
   * Identifies the owner of a token by its claims; by default the claim `sub`. Scopes and claims that the answer omits
   * are taken from the token.
   */
  readonly identify?:
    | ((claims: Readonly<JWTPayload>) => VerifierAnswer | Promise<VerifierAnswer>)
    | undefined;
}

/** An issuer, and the keys of its signatures. */
export interface Issuer {
  readonly issuer: string | readonly string[];
  readonly keyFor: JWTVerifyGetKey;
}

const CLOCK_TOLERANCE_SECONDS = 5;

/**
 * Validates rules before they are used.
 * @throws TypeError for rules under which no token could be valid, or a forged one could
 */
export function checkRules({ audience, algorithms = signatureAlgorithms }: TokenRules): void {
  if ([audience].flat().filter((one) => typeof one === "string" && one !== "").length === 0) {
    throw new TypeError("A verifier of signed tokens needs an audience");
  }
  const unfit = algorithms.filter((name) => !signatureAlgorithms.includes(name));
  if (unfit.length > 0 || algorithms.length === 0) {
    throw new TypeError(`algorithms must name one or more of ${signatureAlgorithms.join(", ")}`);
  }
}

/**
 * Verifies a signed token (RFC 7519, RFC 8725).
 *
 * @param find finds the issuer
 * @throws A2AError UNAVAILABLE when the issuer or its keys cannot be fetched or are not valid; what `identify` throws
 */
export async function verifyToken(
  token: string,
  rules: TokenRules,
  find: () => Promise<Issuer>,
): Promise<Proof> {
  const { audience, algorithms = signatureAlgorithms, clockTolerance, type } = rules;
  let claims: JWTPayload;
  try {
    const { issuer, keyFor } = await find();
    // Imported with the first token: most agents never receive one.
    const { jwtVerify } = await import("jose");
    const { payload } = await jwtVerify(token, keyFor, {
      issuer: [issuer].flat(),
      audience: [audience].flat(),
      algorithms: [...algorithms],
      clockTolerance: clockTolerance ?? CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["exp"],
      ...(type !== undefined && { typ: type }),
    });
    claims = payload;
  } catch (cause) {
    const refused = refusalOf(cause);
    if (refused !== undefined) return { refused };
    throw new A2AError("UNAVAILABLE", "Credentials cannot be checked at the moment", {
      retryAfter: RETRY_SECONDS,
      cause,
    });
  }
  return proofOfClaims(claims, rules);
}

async function proofOfClaims(claims: JWTPayload, { identify }: TokenRules): Promise<Proof> {
  // The subject is a string (RFC 7519 §4.1.2). Any other value is ignored, so that a token cannot supply an identity
  // with scopes.
  const subject = typeof claims.sub === "string" ? claims.sub : undefined;
  const answer = identify === undefined ? subject : await identify(claims);
  if (answer === undefined || answer === null || answer === "") return { refused: "claims" };
  const { identity, refused } = proofOf(answer);
  if (identity === undefined) return { refused: identify === undefined ? "claims" : refused };
  return { identity: { scopes: scopesOf(claims), claims, ...identity } };
}

/** Scopes of a token: separated by spaces (RFC 9068 §2.2.3), or a list as some issuers write it. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  const given: unknown = scope ?? scp;
  const names: unknown[] = typeof given === "string" ? given.split(" ") : Array.isArray(given) ? given : [];
  return names.filter((name): name is string => typeof name === "string" && name !== "");
}

/** Reasons by the error codes of jose. */
const byCode: Readonly<Record<string, Refusal>> = {
  ERR_JWT_EXPIRED: "expired",
  ERR_JWT_INVALID: "malformed",
  ERR_JWS_INVALID: "malformed",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "signature",
  ERR_JOSE_ALG_NOT_ALLOWED: "algorithm",
  ERR_JOSE_NOT_SUPPORTED: "algorithm",
  ERR_JWKS_NO_MATCHING_KEY: "key",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "key",
};

/** Reasons by the claim that jose found invalid. */
const byClaim: Readonly<Record<string, Refusal>> = { aud: "audience", iss: "issuer", nbf: "not-yet-valid" };

/** Why a token is invalid; undefined when the error has another cause. */
function refusalOf(thrown: unknown): Refusal | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code = "", claim = "" } = thrown as { code?: string; claim?: string };
  return code === "ERR_JWT_CLAIM_VALIDATION_FAILED" ? (byClaim[claim] ?? "claims") : byCode[code];
}
