import type { SecurityScheme } from "../protocol/model.js";
import type { IncomingRequest } from "./incoming-request.js";

/** Whom credentials belong to. */
export interface Identity {
  /** Stable, never empty, and unique among all callers of the agent, whatever their scheme: it owns the caller's tasks. */
  readonly id: string;
  /** What the credentials allow, as names. */
  readonly scopes?: readonly string[];
  /** Further facts that the credentials prove. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** What an application says to credentials: whom they belong to (an id is enough), or nothing when they are not valid. */
export type VerifierAnswer = Identity | string | undefined | null;

/** Why credentials were refused: for logs and audits. Callers learn no more than whether they have expired. */
export type Refusal =
  | "malformed"
  | "repeated"
  | "unknown"
  | "untrusted"
  | "expired"
  | "not-yet-valid"
  | "signature"
  | "algorithm"
  | "key"
  | "issuer"
  | "audience"
  | "claims"
  /** What vouched for the caller named no identity: a fault of the verifier, or of the function behind it. */
  | "identity";

/** What credentials came to. */
export type Proof =
  | { readonly identity: Identity; readonly refused?: never }
  | { readonly refused: Refusal; readonly identity?: never };

/**
 * Looks for the credentials of one scheme in a request and judges them; undefined when the request shows none. It throws only
 * when it cannot judge.
 */
export type Probe = (request: IncomingRequest) => Proof | undefined | Promise<Proof | undefined>;

/** Vouches for the callers that use one security scheme. Made by `apiKeys`, `openIdConnect` and their like. */
export interface Verifier {
  /** Scopes that credentials must carry, whatever the card asks for. */
  readonly requiredScopes?: readonly string[];
  /**
   * Called once, when the agent is served, with the scheme as its card declares it.
   * @throws TypeError saying what is wrong, as the rest of a sentence that began with the name of the scheme
   */
  open(scheme: SecurityScheme): Probe;
}

/** What was found of credentials in a request, before anyone has judged them. */
export type Credential<Value> =
  | { readonly value: Value; readonly refused?: never }
  | { readonly refused: Refusal; readonly value?: never }
  | undefined;

/** The proof that an application's verdict stands for. */
export function proofOf(verdict: VerifierAnswer): Proof {
  if (verdict === undefined || verdict === null) return { refused: "unknown" };
  const identity = typeof verdict === "string" ? { id: verdict } : verdict;
  return isIdentity(identity) ? { identity } : { refused: "identity" };
}

/** What a probe found, when it has the shape of a proof; otherwise a refusal, since nothing is proved. */
export function checkedProof(proof: Proof | undefined): Proof | undefined {
  if (proof === undefined) return undefined;
  const { identity, refused } = Object(proof) as Partial<Proof>;
  if (typeof refused === "string" && identity === undefined) return proof;
  return refused === undefined && isIdentity(identity) ? proof : { refused: "identity" };
}

/**
 * An identity that an application wrote.
 * @throws TypeError when it is none
 */
export function identityOf(verdict: Identity | string): Identity {
  const identity = typeof verdict === "string" ? { id: verdict } : verdict;
  if (isIdentity(identity)) return identity;
  throw new TypeError(
    "An identity needs an id that is not empty; its scopes are a list of texts, its claims are an object",
  );
}

/** Whether a value has the shape of an identity. Ids are not converted: a number is no text. */
export function isIdentity(value: unknown): value is Identity {
  const { id, scopes, claims } = Object(value) as { readonly [Member in keyof Identity]?: unknown };
  return typeof id === "string" && id !== "" && isFurther(scopes, claims);
}

/** Whether what an identity or a principal has besides its id may be so. */
export function isFurther(scopes: unknown, claims: unknown): boolean {
  const hasScopes = scopes === undefined || scopes === null || isTexts(scopes);
  const hasClaims = claims === undefined || claims === null || isObject(claims);
  return hasScopes && hasClaims;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}
