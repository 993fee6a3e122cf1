import { isJsonObject } from "../json/json-text.js";
import type { SecurityScheme } from "../protocol/model.js";
import type { IncomingRequest } from "./incoming-request.js";

/** The owner of credentials. */
export interface Identity {
  /** Stable, not empty, and unique among all callers of the agent across schemes: it owns the caller's tasks. */
  readonly id: string;
  /** Scopes of the credentials. */
  readonly scopes?: readonly string[];
  /** Further verified facts about the caller. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/**
 * The application's answer about credentials: their owner (an id is enough), or undefined or null when they are
 * invalid.
 */
export type VerifierAnswer = Identity | string | undefined | null;

/** Why credentials were refused: for logs and audits. Of these, callers learn only whether the credentials have expired. */
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
  /** The verifier, or the function that it calls, returned no valid identity. */
  | "identity";

/** The result of checking credentials. */
export type Proof =
  | { readonly identity: Identity; readonly refused?: never }
  | { readonly refused: Refusal; readonly identity?: never };

/**
 * Reads the credentials of one scheme from a request and checks them; undefined when the request has none. Throws only
 * when the check itself fails.
 */
export type Probe = (request: IncomingRequest) => Proof | undefined | Promise<Proof | undefined>;

/** Authenticates the callers of one security scheme. Made by `apiKeys`, `openIdConnect` and similar functions. */
export interface Verifier {
  /** Scopes that credentials must have, in addition to those of the card. */
  readonly requiredScopes?: readonly string[];
  /**
   * Called once for each agent whose card declares the scheme, before the agent is served.
   * @param scheme as the card declares it
   * @throws TypeError whose text continues a sentence that begins with the name of the scheme
   */
  open(scheme: SecurityScheme): Probe;
}

/** Credentials found in a request, not yet checked. */
export type Credential<Value> =
  | { readonly value: Value; readonly refused?: never }
  | { readonly refused: Refusal; readonly value?: never }
  | undefined;

/** Converts the application's answer to a proof. */
export function proofOf(answer: VerifierAnswer): Proof {
  if (answer === undefined || answer === null) return { refused: "unknown" };
  const identity = typeof answer === "string" ? { id: answer } : answer;
  return isIdentity(identity) ? { identity } : { refused: "identity" };
}

/** The proof, when it has a valid shape; otherwise a refusal. Undefined stays undefined: the request has no credentials. */
export function checkedProof(proof: Proof | undefined): Proof | undefined {
  if (proof === undefined) return undefined;
  const { identity, refused } = Object(proof) as Partial<Proof>;
  if (typeof refused === "string" && identity === undefined) return proof;
  return refused === undefined && isIdentity(identity) ? proof : { refused: "identity" };
}

/**
 * Validates an identity that the application has listed.
 * @throws TypeError when it is not valid
 */
export function identityOf(owner: Identity | string): Identity {
  const identity = typeof owner === "string" ? { id: owner } : owner;
  if (isIdentity(identity)) return identity;
  throw new TypeError(
    "An identity needs an id that is not empty; its scopes must be a list of strings, its claims an object",
  );
}

/** Whether a value has the shape of an identity. Ids are not converted: a number is not a string. */
export function isIdentity(value: unknown): value is Identity {
  const { id, scopes, claims } = Object(value) as { readonly [Member in keyof Identity]?: unknown };
  return typeof id === "string" && id !== "" && areValidDetails(scopes, claims);
}

/** Whether scopes and claims of an identity or a principal have valid types. */
export function areValidDetails(scopes: unknown, claims: unknown): boolean {
  const hasScopes = scopes === undefined || scopes === null || isStringList(scopes);
  const hasClaims = claims === undefined || claims === null || isJsonObject(claims);
  return hasScopes && hasClaims;
}

function isStringList(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
