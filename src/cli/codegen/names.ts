import { fileFailure } from "../failure.js";

/**
 * A name for a type, made of the words in a text: `get-quote input` is `GetQuoteInput`.
 * @throws Failure for a text without a word
 */
export function typeName(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  if (!/^[A-Za-z0-9]+$/.test(name)) {
    throw fileFailure(`${JSON.stringify(text)} gives no name for a type: use letters of a to z and digits`);
  }
  return /^\d/.test(name) ? `Of${name}` : name;
}

/** A name for a constant, made in the same way: `getQuoteInput`. */
export function memberName(text: string): string {
  const name = typeName(text);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
