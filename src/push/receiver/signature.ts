import { createHash, timingSafeEqual } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { type KeySetOptions, keySet } from "../../auth/json-web-tokens.js";
import { signatureAlgorithms } from "../../protocol/signature-algorithms.js";
import { headers } from "../request-headers.js";
import { headerOf, type PushRequest, RefusedPush } from "./push-request.js";

/** Whose signature a notification must have. */
export interface SignatureRules extends KeySetOptions {
  /** Name of the agent (`iss`). One of them is enough. */
  readonly issuer: string | readonly string[];
  /** URL of the webhook as it was given to the agent (`aud`). One of them is enough. */
  readonly audience: string | readonly string[];
  /** Signature algorithms that are good enough; those with a public key by default, and no others can be named. */
  readonly algorithms?: readonly string[];
  /** Seconds after its signing for which a notification is taken; 300 by default (HOOK-06). */
  readonly maxAge?: number;
  /** Seconds by which clocks may differ; 30 by default. */
  readonly clockTolerance?: number;
  /** Header in which the signature comes when the config named one, as the flat dialect can; `Authorization` by default. */
  readonly header?: string;
}

/** A signature that holds. */
export interface Signature {
  readonly claims: Readonly<JWTPayload>;
  /** Unique id of this attempt to deliver. */
  readonly id: string;
}

/** Checks the signature of a notification: of the agent, for this webhook, recent, and over this very body. */
export type SignatureCheck = (request: PushRequest, now: number) => Promise<Signature>;

/** Names that senders give to the hash of the body. */
const HASHES = ["payload_hash", "request_body_sha256"];

/**
 * Makes the check for a set of rules. It throws a Refusal 401 for what is wrong with the token, and 503 while the keys of the
 * agent cannot be had, so that the notification comes again.
 *
 * @throws TypeError for rules under which no token could be right, or a wrong one could
 */
export function signatureCheck(rules: SignatureRules): SignatureCheck {
  const { algorithms = signatureAlgorithms, maxAge = 300, clockTolerance = 30 } = rules;
  const { header = "Authorization" } = rules;
  const [issuer, audience] = [named("issuer", rules.issuer), named("audience", rules.audience)];
  if (algorithms.length === 0 || algorithms.some((name) => !signatureAlgorithms.includes(name))) {
    throw new TypeError(`signature.algorithms must be some of ${signatureAlgorithms.join(", ")}`);
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
    if (!coversBody(claims, request.body)) throw new RefusedPush(401, "The signature is not of this body");
    return { claims, id: String(claims.jti) };
  };
}

function tokenOf(request: PushRequest, header: string): string {
  const own = headerOf(request, headers.signature);
  const token = own ?? /^bearer +(\S+)$/i.exec(headerOf(request, header.toLowerCase()) ?? "")?.[1];
  if (token === undefined) throw new RefusedPush(401, "The notification is not signed");
  return token;
}

/** At least one hash, and none that is wrong. */
function coversBody(claims: JWTPayload, body: Uint8Array | string): boolean {
  const given = HASHES.map((name) => claims[name]).filter((value) => value !== undefined);
  const digest = createHash("sha256").update(body).digest();
  return given.length > 0 && given.every((value) => typeof value === "string" && isDigest(value, digest));
}

function isDigest(hex: string, digest: Buffer): boolean {
  const given = Buffer.from(hex, "hex");
  return given.length === digest.length && timingSafeEqual(given, digest);
}

function named(rule: string, given: string | readonly string[]): string[] {
  const names = [given].flat().filter((name) => typeof name === "string" && name !== "");
  if (names.length === 0) throw new TypeError(`signature.${rule} must be given`);
  return names;
}

/** Faults of the key set are not the sender's: what it sent may be right, and is worth another attempt. */
const KEYS_AWAY = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code];

function refusalOf(error: unknown): RefusedPush {
  const isToken = error instanceof errors.JOSEError && !KEYS_AWAY.includes(error.code);
  const reason = error instanceof Error ? error.message : String(error);
  if (isToken) return new RefusedPush(401, `The signature does not hold: ${reason}`);
  return new RefusedPush(503, `The keys of the agent cannot be had: ${reason}`);
}
