import { clientError } from "../protocol/errors.js";

/**
 * Default limit of nesting in a request. The protocol's own objects need a tenth of it. Without a limit, a small body
 * of brackets would overflow the stack of code that walks the value later (§13.4).
 */
export const MAX_DEPTH = 100;

/** Limits on the content of a JSON text, independent of its length. */
export interface JsonBounds {
  /** Maximum nesting of objects and lists; 100 by default. */
  readonly nesting?: number;
  /** Maximum number of objects, lists, members and items; unlimited by default. */
  readonly values?: number;
  /** Maximum number of members of all objects together; unlimited by default. */
  readonly members?: number;
}

/**
 * Parses the JSON text of a request. Escaped lone surrogates become U+FFFD (§14.1); of two members with the same name
 * the last one counts (RFC 8259).
 * @throws A2AError PARSE_ERROR for invalid JSON, INVALID_REQUEST when a limit is exceeded
 */
export function readJson(text: string, bounds: JsonBounds = {}): unknown {
  const {
    nesting = MAX_DEPTH,
    values = Number.POSITIVE_INFINITY,
    members = Number.POSITIVE_INFINITY,
  } = bounds;
  // Checked before parsing: three characters of text can become an object of 56 bytes.
  if (hasMoreValues(text, values)) {
    throw clientError("INVALID_REQUEST", `Invalid request: it holds more than ${values} values`);
  }
  // Many names make objects slow to parse, to copy and to write, whether one object has them or thousands.
  if (hasMoreMembers(text, members)) {
    throw clientError("INVALID_REQUEST", `Invalid request: its objects have more than ${members} members`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.includes("\\ud") || text.includes("\\uD") ? wellFormed(text) : text);
  } catch (cause) {
    throw clientError("PARSE_ERROR", undefined, { cause });
  }
  if (counts(text, OPENING, nesting) && depthOf(text) > nesting) {
    throw clientError("INVALID_REQUEST", `Invalid request: nested deeper than ${nesting} levels`);
  }
  return value;
}

/** Serializes a value as JSON on one line, without lone surrogates (§14.1). */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") ? wellFormed(text) : text;
}

const ESCAPE_LENGTH = "\\ud800".length;
const REPLACEMENT = "\\ufffd";

/**
 * JSON text without escapes of lone surrogates. Works on the text instead of the value: a single pass over these
 * escapes only.
 */
function wellFormed(text: string): string {
  let result = "";
  let from = 0;
  for (let at = text.indexOf("\\u"); at !== -1; at = text.indexOf("\\u", at + ESCAPE_LENGTH)) {
    if (backslashesBefore(text, at) % 2 === 1) at -= ESCAPE_LENGTH - 1;
    else if (isAt(HIGH, text, at) && isAt(LOW, text, at + ESCAPE_LENGTH)) at += ESCAPE_LENGTH;
    else if (isAt(HIGH, text, at) || isAt(LOW, text, at)) {
      result += text.slice(from, at) + REPLACEMENT;
      from = at + ESCAPE_LENGTH;
    }
  }
  return from === 0 ? text : result + text.slice(from);
}

/** Escapes of high surrogates, and of low surrogates. */
const HIGH = /\\u[dD][89abAB][\da-fA-F]{2}/y;
const LOW = /\\u[dD][c-fC-F][\da-fA-F]{2}/y;

function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** The number of backslashes directly before a position; of two in a row, the first escapes the second. */
function backslashesBefore(text: string, at: number): number {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return at - 1 - before;
}

const OPENING = ["{", "["];
/** Characters that precede a value: a text has at most one value more than it has of these. */
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
 * Whether JSON text has more than `limit` objects, lists and separators, which bounds the number of its values. A
 * parsed value can need twenty times the memory of its text. The result for invalid JSON is undefined.
 */
export function hasMoreValues(text: string, limit: number): boolean {
  return counts(text, LEADING, limit) && countsOutside(text, isLeading, limit);
}

/** Whether the objects in JSON text have more than `limit` members together. The result for invalid JSON is undefined. */
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

const [QUOTE, COMMA, COLON, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  0x22, 0x2c, 0x3a, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
];

/** The end of a string: a quote after an even number of backslashes, or the end of the text. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); ; at = text.indexOf('"', at + 1)) {
    if (at === -1) return text.length;
    if (backslashesBefore(text, at) % 2 === 0) return at;
  }
}

/** Whether a JSON value is an object: neither a list nor null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
