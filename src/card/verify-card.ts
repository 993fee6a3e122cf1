import { encode } from "jose/base64url";
import { decodeProtectedHeader } from "jose/decode/protected_header";
import { flattenedVerify } from "jose/jws/flattened/verify";
import { canonicalJson } from "../json/canonical-json.js";
import { isJsonObject } from "../json/json-text.js";
import { signatureAlgorithms } from "../protocol/signature-algorithms.js";
import { CardSignatureError } from "./card-signature-error.js";
import {
  type JsonObject,
  restoreRequired,
  type SignedForm,
  signedForm,
  signedForms,
} from "./signed-forms.js";
import { type KeySetPolicy, keyAt, type TrustedKey, unusable } from "./verification-key.js";

/** How a card is verified. */
export interface VerifyCardOptions {
  /** The caller's own keys. A signature whose `kid` is among them is verified with that key only. */
  readonly keys?: readonly TrustedKey[] | undefined;
  /** Allows signatures to name the key set with their key. Without it `jku` is ignored. */
  readonly keySets?: KeySetPolicy | undefined;
  /** Accepted JWS algorithms; by default all that the library supports. */
  readonly algorithms?: readonly string[] | undefined;
  /** Milliseconds since 1970; the clock of the platform by default. */
  readonly now?: (() => number) | undefined;
}

/** A card with a valid signature. */
export interface VerifiedCard {
  /**
   * The content that the signature covers (§8.4.3), without `signatures`. Empty required members that its form omits are restored. Decode
   * it like any card from the network.
   */
  readonly card: JsonObject;
  /** Id of the key that signed it. */
  readonly kid: string;
  /** The form of the card that the signature covers. */
  readonly form: SignedForm;
}

/** Maximum number of signatures to verify, because each check is expensive. Further ones are ignored. */
const MAX_SIGNATURES = 16;

/**
 * Verifies a card as received from the network (§8.4.3): one valid signature is enough. The signature may cover the
 * card as it stands or one of the two canonical forms in use.
 *
 * @param card parsed JSON, unchanged
 * @throws CardSignatureError when the card is not signed, or no signature is valid
 */
export async function verifyCard(card: unknown, options: VerifyCardOptions): Promise<VerifiedCard> {
  const signatures = isJsonObject(card) && Array.isArray(card.signatures) ? card.signatures : [];
  if (!isJsonObject(card) || signatures.length === 0) throw new CardSignatureError("UNSIGNED", []);
  const reasons: string[] = [];
  let payloads: readonly Payload[] | undefined;
  for (const signature of signatures.slice(0, MAX_SIGNATURES)) {
    try {
      payloads ??= signedForms.map((form) => payloadOf(form, card));
      return await verifyOne(signature, payloads, options);
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new CardSignatureError("UNVERIFIED", reasons);
}

/** Forms of the card that a signature may cover. */
interface Payload {
  readonly form: SignedForm;
  readonly covered: JsonObject;
  readonly encoded: string;
}

function payloadOf(form: SignedForm, card: JsonObject): Payload {
  const covered = signedForm(form, card);
  return { form, covered, encoded: encode(canonicalJson(covered)) };
}

async function verifyOne(
  entry: unknown,
  payloads: readonly Payload[],
  options: VerifyCardOptions,
): Promise<VerifiedCard> {
  if (!isJsonObject(entry) || typeof entry.protected !== "string" || typeof entry.signature !== "string") {
    throw new Error("it is not a signature");
  }
  const { protected: header, signature } = entry;
  const { alg, kid, jku } = decodeProtectedHeader({ protected: header });
  const algorithms = options.algorithms ?? signatureAlgorithms;
  if (alg === undefined || !algorithms.includes(alg)) throw new Error(`its algorithm ${alg} is not allowed`);
  if (typeof kid !== "string") throw new Error("it names no key");
  const trusted = await findKey(kid, jku, options);
  const refusal = unusable(trusted, alg, (options.now ?? Date.now)());
  if (refusal !== undefined) throw new Error(refusal);
  const unprotected = isJsonObject(entry.header) ? { header: entry.header } : {};
  for (const { form, covered, encoded } of payloads) {
    const jws = { protected: header, signature, payload: encoded, ...unprotected };
    const isValid = await flattenedVerify(jws, trusted.key, { algorithms: [alg] }).then(
      () => true,
      () => false,
    );
    if (isValid) return { card: restored(form, covered), kid, form };
  }
  throw new Error(`its signature by key "${kid}" does not fit the card`);
}

async function findKey(
  kid: string,
  jku: unknown,
  { keys = [], keySets }: VerifyCardOptions,
): Promise<TrustedKey> {
  const own = keys.find((key) => key.kid === kid);
  const found = own ?? (typeof jku === "string" && keySets ? await keyAt(jku, kid, keySets) : undefined);
  if (found === undefined) throw new Error(`its key "${kid}" is unknown`);
  return found;
}

function restored(form: SignedForm, covered: JsonObject): JsonObject {
  return form === "received" ? covered : restoreRequired("AgentCard", covered);
}
