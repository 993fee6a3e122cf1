import type { TrustedKey } from "../../../../card/verification-key.js";
import { decodeText } from "../../../../json/base64-text.js";

/** Keys that a person has entered: a key, an array of them, or a key set. @throws Error for text that is none */
export function readKeys(text: string): readonly TrustedKey[] {
  if (text.trim() === "") return [];
  const value = parse(text);
  const keys = Array.isArray(value) ? value : ((value as { keys?: unknown[] }).keys ?? [value]);
  return keys.map((key) => {
    const { kid, kty } = Object(key) as { kid?: unknown; kty?: unknown };
    if (typeof kid !== "string" || typeof kty !== "string")
      throw new Error('A key is an object with "kty" and "kid", the name by which signatures know it');
    return { kid, key: key as TrustedKey["key"] };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The keys are not JSON");
  }
}

/** The protected headers of a card's signatures, decoded. */
export function signatureHeaders(card: object): readonly object[] {
  const { signatures } = card as { signatures?: unknown };
  if (!Array.isArray(signatures)) return [];
  return signatures.map((signature: unknown) => {
    const { protected: header } = Object(signature) as { protected?: unknown };
    try {
      return Object(JSON.parse(decodeText(String(header)))) as object;
    } catch {
      return { problem: "The protected header cannot be read", protected: header };
    }
  });
}
