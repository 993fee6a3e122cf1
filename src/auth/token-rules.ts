import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { A2AError } from "../protocol/errors.js";
import { signatureAlgorithms } from "../protocol/signature-algorithms.js";
import { type Proof, proofOf, type Refusal, type VerifierAnswer } from "./verifier.js";

/** What a signed token must be like, whoever issued it. */
export interface TokenRules {
  /** Whom tokens must be meant for: this agent. One of them is enough. A token for somebody else is refused. */
  readonly audience: string | readonly string[];
  /** Signature algorithms that are good enough; those with a public key by default, and no others can be named. */
  readonly algorithms?: readonly string[];
  /** Seconds by which clocks may differ; 5 by default. */
  readonly clockTolerance?: number;
  /** Scopes that every token must carry, whatever the card asks for. */
  readonly requiredScopes?: readonly string[];
  /** What the token's header must give as its type, `at+jwt` for access tokens by RFC 9068; any by default. */
  readonly type?: string;
  /**
   * Whom a token with these claims belongs to; the claim `sub` by default. Scopes and claims that it leaves out are taken from
   * the token.
   */
  readonly identify?: (claims: Readonly<JWTPayload>) => VerifierAnswer | Promise<VerifierAnswer>;
}

/** Who issues tokens, and how they are signed. */
export interface Issuer {
  readonly issuer: string | readonly string[];
  readonly keyFor: JWTVerifyGetKey;
}

const CLOCK_TOLERANCE_SECONDS = 5;
const RETRY_SECONDS = 5;

/**
 * Looks at rules before anything is checked by them.
 * @throws TypeError for rules under which no token could be right, or a wrong one could
 */
export function checkRules({ audience, algorithms = signatureAlgorithms }: TokenRules): void {
  if ([audience].flat().filter((one) => typeof one === "string" && one !== "").length === 0) {
    throw new TypeError("A verifier of signed tokens needs an audience");
  }
  const unfit = algorithms.filter((name) => !signatureAlgorithms.includes(name));
  if (unfit.length > 0 || algorithms.length === 0) {
    throw new TypeError(`Algorithms must be some of ${signatureAlgorithms.join(", ")}`);
  }
}

/**
 * Judges a signed token (RFC 7519, RFC 8725).
 *
 * @param find finds the issuer
 * @throws A2AError UNAVAILABLE when the issuer or its keys cannot be had
 */
export async function judge(token: string, rules: TokenRules, find: () => Promise<Issuer>): Promise<Proof> {
  const { audience, algorithms = signatureAlgorithms, clockTolerance, type } = rules;
  let claims: JWTPayload;
  try {
    const { issuer, keyFor } = await find();
    // Loaded with the first token: most agents never see one.
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
  // Whatever a token says, its subject is a text (RFC 7519 §4.1.2), and never an identity with scopes.
  const subject = typeof claims.sub === "string" ? claims.sub : undefined;
  const verdict = identify === undefined ? subject : await identify(claims);
  if (verdict === undefined || verdict === null || verdict === "") return { refused: "claims" };
  const { identity, refused } = proofOf(verdict);
  if (identity === undefined) return { refused: identify === undefined ? "claims" : refused };
  return { identity: { scopes: scopesOf(claims), claims, ...identity } };
}

/** Scopes of a token: names divided by spaces (RFC 9068 §2.2.3), or a list as some issuers write it. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  const given: unknown = scope ?? scp;
  const names: unknown[] = typeof given === "string" ? given.split(" ") : Array.isArray(given) ? given : [];
  return names.filter((name): name is string => typeof name === "string" && name !== "");
}

/** By the codes that errors of jose have. */
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

const byClaim: Readonly<Record<string, Refusal>> = { aud: "audience", iss: "issuer", nbf: "not-yet-valid" };

/** Why a token is not valid; undefined when the fault is not the token's. */
function refusalOf(thrown: unknown): Refusal | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code = "", claim = "" } = thrown as { code?: string; claim?: string };
  return code === "ERR_JWT_CLAIM_VALIDATION_FAILED" ? (byClaim[claim] ?? "claims") : byCode[code];
}
