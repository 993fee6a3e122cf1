import type { CryptoKey, JWK, KeyObject } from "jose";
import { canonicalJson } from "../json/canonical-json.js";
import type { AgentCard, AgentCardSignature } from "../protocol/model.js";
import { type JsonObject, signedForm } from "./signed-forms.js";

/** A private key with which cards are signed. */
export interface CardKey {
  readonly key: CryptoKey | KeyObject | JWK;
  /** Name under which verifiers find the public key. */
  readonly kid: string;
  /** JWS algorithm that fits the key, such as `ES256`. Only algorithms with a public key make sense. */
  readonly alg: string;
  /** https URL of the key set that holds the public key. */
  readonly jku?: string;
}

/**
 * Signs a card with each key (§8.4.2): JWS over the canonical form (RFC 8785) without `signatures`. While keys are rotated
 * the old and the new one both sign, and one valid signature is enough for a verifier. Where the card has empty required
 * members, on which verifiers disagree (§8.4.1), each key signs both readings.
 *
 * @param shown the card as it is sent, when that is not its own form: older versions are signed as they are read
 * @returns the card with the new signatures in place of those that it had
 * @throws TypeError when a key does not fit its algorithm
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
  // Loaded when there is something to sign: most agents never have.
  const { FlattenedSign } = await import("jose");
  const header = { alg, kid, typ: "JOSE", ...(jku !== undefined && { jku }) };
  const jws = await new FlattenedSign(new TextEncoder().encode(payload)).setProtectedHeader(header).sign(key);
  return { protected: jws.protected ?? "", signature: jws.signature };
}
