import type { CryptoKey, JWK, KeyObject } from "jose";
import { canonicalJson } from "../json/canonical-json.js";
import type { AgentCard, AgentCardSignature } from "../protocol/model.js";
import { type JsonObject, signedForm } from "./signed-forms.js";

/** A private key that signs cards. */
export interface CardKey {
  /** The private key. */
  readonly key: CryptoKey | KeyObject | JWK;
  /** Id by which verifiers find the public key. */
  readonly kid: string;
  /** JWS algorithm of the key, such as `ES256`. It must be one with a public key. */
  readonly alg: string;
  /** https URL of the key set that contains the public key. */
  readonly jku?: string;
}

/**
 * Signs a card with each key (§8.4.2): JWS over the canonical form (RFC 8785) without `signatures`. During a key
 * rotation both keys sign, and one valid signature is enough for a verifier. When the card has empty members that
 * verifiers canonicalize differently (§8.4.1), each key signs both forms.
 *
 * @param shown the card as it is sent, when that differs from `card`: older versions are signed in the form in which
 *   they are read
 * @returns the card with the new signatures instead of its previous ones
 * @throws Error when a key does not fit its algorithm; TypeError for a card with a value that JSON cannot represent
 */
export async function signCard<Shown extends object = AgentCard>(
  card: AgentCard,
  keys: readonly CardKey[],
  shown: Shown | AgentCard = card,
): Promise<Shown | AgentCard> {
  const object: JsonObject = { ...card };
  const payloads = new Set([
    canonicalJson(signedForm("requiredKept", object)),
    canonicalJson(signedForm("emptyDropped", object)),
    ...(shown === card
      ? []
      : [canonicalJson(signedForm("received", Object.fromEntries(Object.entries(shown))))]),
  ]);
  const signatures = await Promise.all(
    keys.flatMap((key) => [...payloads].map((payload) => sign(payload, key))),
  );
  return { ...shown, signatures };
}

async function sign(payload: string, { key, kid, alg, jku }: CardKey): Promise<AgentCardSignature> {
  // Imported on demand: most agents sign nothing.
  const { FlattenedSign } = await import("jose");
  const header = { alg, kid, typ: "JOSE", ...(jku !== undefined && { jku }) };
  const jws = await new FlattenedSign(new TextEncoder().encode(payload)).setProtectedHeader(header).sign(key);
  return { protected: jws.protected ?? "", signature: jws.signature };
}
