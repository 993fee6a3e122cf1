import { createHash, timingSafeEqual } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { type KeySetOptions, keySet } from "../../auth/json-web-tokens.js";
import { signatureAlgorithms } from "../../protocol/signature-algorithms.js";
import { headers } from "../request-headers.js";
import { headerOf, type PushRequest, RefusedPush } from "./push-request.js";

/** The signatures that a receiver accepts. */
export interface SignatureRules extends KeySetOptions {
  /** Expected issuer (`iss`), the name of the agent. If several are given, one must match. */
  readonly issuer: string | readonly string[];
  /** Expected audience (`aud`), the URL of the webhook as it was registered. If several are given, one must match. */
  readonly audience: string | readonly string[];
  /** Accepted signature algorithms, such as `ES256`; by default all that the library supports. Symmetric ones are not allowed. */
  readonly algorithms?: readonly string[];
  /** Maximum age of a signature in seconds, to which `clockTolerance` is added; 300 by default. */
  readonly maxAge?: number;
  /** Seconds by which clocks may differ; 30 by default. */
  readonly clockTolerance?: number;
  /**
   * Header of a signature that is not in `A2A-Notification-Signature`: the header that the config names, as version `0.1-flat` allows;
   * `Authorization` by default.
   */
  readonly header?: string;
}

/** A verified signature. */
export interface Signature {
  readonly claims: Readonly<JWTPayload>;
  /** Unique id of the signature (`jti`). */
  readonly id: string;
}

/**
 * Verifies that a notification is signed by the agent, recently, for this webhook and over this body.
 * @param now milliseconds since 1970
 */
export type SignatureCheck = (request: PushRequest, now: number) => Promise<Signature>;

/** Claims in which senders put the SHA-256 hash of the body, in hexadecimal. */
const HASHES = ["payload_hash", "request_body_sha256"];

/**
 * Creates the check for a set of rules. The check throws RefusedPush 401 when the signature is missing, breaks a rule, matches no key of
 * the agent, or is for another body. It throws RefusedPush 503 while the keys of the agent cannot be fetched or are not valid, so that the
 * sender retries.
 *
 * @throws TypeError when the issuer or audience is missing, when `algorithms` is empty or has an unknown or symmetric one, when `maxAge` or
 * `clockTolerance` is not a finite number of at least 0, and for a key set without a list `keys`, or a URL that is neither https nor http on
 * this machine
 */
export function signatureCheck(rules: SignatureRules): SignatureCheck {
  const { algorithms = signatureAlgorithms, maxAge = 300, clockTolerance = 30 } = rules;
  const { header = "Authorization" } = rules;
  const issuer = checkedNames("issuer", rules.issuer);
  const audience = checkedNames("audience", rules.audience);
  if (algorithms.length === 0 || algorithms.some((name) => !signatureAlgorithms.includes(name))) {
    throw new TypeError(`signature.algorithms must be some of ${signatureAlgorithms.join(", ")}`);
  }
  for (const [name, value] of Object.entries({ maxAge, clockTolerance })) {
    if (!(value >= 0 && Number.isFinite(value)))
      throw new TypeError(`signature.${name} must be a finite number of seconds, 0 or more`);
  }
  const keyFor = keySet(rules);
  return async (request, now) => {
    const verified = await jwtVerify(tokenOf(request, header), keyFor, {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance,
      maxTokenAge: maxAge,
      requiredClaims: ["exp", "jti"],
      currentDate: new Date(now),
    }).catch((error: unknown) => {
      throw refusalOf(error);
    });
    const claims = verified.payload;
    if (!coversBody(claims, request.body))
      throw new RefusedPush(401, "The signature does not cover this body");
    return { claims, id: String(claims.jti) };
  };
}

function tokenOf(request: PushRequest, header: string): string {
  const own = headerOf(request, headers.signature);
  const token = own ?? /^bearer +(\S+)$/i.exec(headerOf(request, header.toLowerCase()) ?? "")?.[1];
  if (token === undefined) throw new RefusedPush(401, "The notification is not signed");
  return token;
}

/** Whether the claims contain at least one hash of the body and no wrong one. */
function coversBody(claims: JWTPayload, body: Uint8Array | string): boolean {
  const given = HASHES.map((name) => claims[name]).filter((value) => value !== undefined);
  const digest = createHash("sha256").update(body).digest();
  return given.length > 0 && given.every((value) => typeof value === "string" && isDigest(value, digest));
}

function isDigest(hex: string, digest: Buffer): boolean {
  const given = Buffer.from(hex, "hex");
  return given.length === digest.length && timingSafeEqual(given, digest);
}

function checkedNames(rule: string, given: string | readonly string[]): string[] {
  const names = [given].flat().filter((name) => typeof name === "string" && name !== "");
  if (names.length === 0) throw new TypeError(`signature.${rule} must not be missing or empty`);
  return names;
}

/** Error codes for a key set that cannot be fetched or is malformed. They say nothing about the signature, so the sender should retry. */
const KEYS_UNAVAILABLE = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code];

function refusalOf(error: unknown): RefusedPush {
  const isToken = error instanceof errors.JOSEError && !KEYS_UNAVAILABLE.includes(error.code);
  const reason = error instanceof Error ? error.message : String(error);
  if (isToken) return new RefusedPush(401, `The signature is invalid: ${reason}`);
  return new RefusedPush(503, `The keys of the agent cannot be fetched or are not valid: ${reason}`);
}
