import { closingQuote } from "./json-string.js";
import { findLongName } from "./long-names.js";
import { hasSurrogateEscape, wellFormed } from "./well-formed.js";

/**
 * Default limit of nesting in a request. The protocol's own objects need a tenth of it. Without a limit, a small body
 * of brackets would overflow the stack of code that walks the value later (§13.4).
 */
export const MAX_DEPTH = 100;

/**
 * Maximum length of a member name in characters, as it is written. V8 does not hash longer names but compares them character by character:
 * 600 of them with the same beginning take 200 ms to parse.
 */
export const MAX_NAME = 16_383;

/** Thrown for JSON text with a member name of more than {@link MAX_NAME} characters. */
export class LongName extends RangeError {
  /** Position of the name in the text. */
  readonly position: number;

  constructor(position: number) {
    super(`a member name has more than ${MAX_NAME} characters`);
    this.position = position;
  }
}

/**
 * Parses JSON text. Escaped lone surrogates become U+FFFD (§14.1); of two members with the same name the last one counts (RFC 8259).
 * @param nesting maximum nesting of objects and lists; 100 by default
 * @throws SyntaxError for invalid JSON, RangeError for a deeper value, {@link LongName} for a member name that is too long
 */
export function parseJson(text: string, nesting = MAX_DEPTH): unknown {
  const longName = findLongName(text, MAX_NAME);
  if (longName !== undefined) throw new LongName(longName);
  const value: unknown = JSON.parse(text);
  if (counts(text, OPENING, nesting) && depthOf(text) > nesting) {
    throw new RangeError(`nested deeper than ${nesting} levels`);
  }
  return hasSurrogateEscape(text) ? wellFormed(value) : value;
}

/** Parses JSON text, without limits; undefined for text that is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Serializes a value as JSON on one line, without lone surrogates (§14.1). */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return hasSurrogateEscape(text) ? JSON.stringify(wellFormed(JSON.parse(text))) : text;
}

const OPENING = ["{", "["];
/** Characters that precede a value: a text has at most one value more than such characters. */
const LEADING = [",", ...OPENING];

/**
 * Whether a text contains more than `limit` of some characters, including those in strings: a cheap test that rules out
 * nearly every body.
 */
function counts(text: string, characters: readonly string[], limit: number): boolean {
  if (text.length <= limit) return false;
  let left = limit;
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/**
 * Whether JSON text has more than `limit` objects, lists and commas, which bounds the number of its values. A parsed
 * value can need twenty times the memory of its text. For invalid JSON the result has no meaning.
 */
export function hasMoreValues(text: string, limit: number): boolean {
  return counts(text, LEADING, limit) && countsOutside(text, isLeading, limit);
}

/** Whether the objects in JSON text have more than `limit` members together. For invalid JSON the result has no meaning. */
export function hasMoreMembers(text: string, limit: number): boolean {
  return counts(text, [":"], limit) && countsOutside(text, isColon, limit);
}

const isLeading = (code: number) => code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET;
const isColon = (code: number) => code === COLON;

/** Whether a text contains more than `limit` of some characters outside of strings. */
function countsOutside(text: string, isCounted: (code: number) => boolean, limit: number): boolean {
  let left = limit;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at + 1);
    else if (isCounted(code)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/**
 * Maximum number of open brackets in valid JSON. A loop, because a regular expression overflows the stack on a long
 * string.
 */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = closingQuote(text, at + 1);
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return deepest;
}

const [QUOTE, COMMA, COLON, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  0x22, 0x2c, 0x3a, 0x7b, 0x7d, 0x5b, 0x5d,
];

/** Whether a JSON value is an object: neither a list nor null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
