import { closingQuote } from "./json-string.js";

/**
 * The position of the opening quote of the first member name with more than `limit` characters, as they are written; undefined without one.
 * For invalid JSON the result has no meaning.
 */
export function findLongName(text: string, limit: number): number | undefined {
  if (text.length <= limit) return undefined;
  for (let at = text.indexOf('"'); at !== -1; ) {
    const closing = closingQuote(text, at + 1);
    if (closing - at - 1 > limit && isBeforeColon(text, closing)) return at;
    at = text.indexOf('"', closing + 1);
  }
  return undefined;
}

/** Whether the next character after a position that is no white space is a colon: the string that ends there is a name. */
export function isBeforeColon(text: string, position: number): boolean {
  let at = position + 1;
  while (SPACES.has(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const COLON = 0x3a;
