import { callerFault, withoutTrace } from "../errors.js";

/**
 * Deepest nesting of objects and lists in a request, unless another limit is set. The protocol's own objects need a tenth of it; without a limit a small
 * body of brackets overflows the stack of whoever walks the value later (SEC-08).
 */
export const MAX_DEPTH = 100;

/**
 * Reads the JSON text of a request. Escapes of lone surrogates read as U+FFFD (JSONV-19); of two members with one name the
 * last counts (JSONV-17).
 * @param maxDepth levels of objects and lists within each other
 * @throws A2AError PARSE_ERROR when it is not JSON, INVALID_REQUEST when it is nested deeper
 */
export function readJson(text: string, maxDepth = MAX_DEPTH): unknown {
  let value: unknown;
  try {
    value = withoutTrace(() =>
      JSON.parse(text.includes("\\ud") || text.includes("\\uD") ? wellFormed(text) : text),
    );
  } catch (cause) {
    throw callerFault("PARSE_ERROR", undefined, { cause });
  }
  if (hasBrackets(text, maxDepth) && depthOf(text) > maxDepth) {
    throw callerFault("INVALID_REQUEST", `Invalid request: nested deeper than ${maxDepth} levels`);
  }
  return value;
}

/** Writes a value as JSON on one line, without lone surrogates (JSONV-19). */
export function writeJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes("\\ud") ? wellFormed(text) : text;
}

/** Any escape of a JSON string; a surrogate pair is one, so that a half that is left over stands alone. */
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;
const LONE_SURROGATE_LENGTH = 6;

/** Works on the text, not on the value: one pass, and no string of the value has to be visited. */
function wellFormed(text: string): string {
  return text.replace(ESCAPE, (found) => (found.length === LONE_SURROGATE_LENGTH ? "\\ufffd" : found));
}

/** Whether the text has more opening brackets than `limit`: a cheap test that nearly every body fails. */
function hasBrackets(text: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/** Greatest number of open brackets in valid JSON. A loop, since an expression runs out of stack on a long string. */
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

/**
 * Whether JSON text has more than `limit` objects, lists and separators between their members, which bounds the number of its
 * values. A value costs up to twenty times its length once it is parsed. Text that is not JSON may be counted in any way.
 */
export function hasMoreValues(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at + 1);
      if (at === -1) return false;
    } else if (code === COMMA || code === OPEN_BRACE || code === OPEN_BRACKET) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

const [QUOTE, COMMA, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  0x22, 0x2c, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d,
];

/** Where a string ends: at a quote after an even number of backslashes; -1 when it does not end. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}

/** Whether a JSON value is an object: no list and not null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
