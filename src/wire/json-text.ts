import { A2AError } from "../errors.js";

/**
 * Deepest nesting of objects and lists in a request. The protocol's own objects need a tenth of it; without a limit a small
 * body of brackets overflows the stack of whoever walks the value later (SEC-08).
 */
export const MAX_DEPTH = 100;

/**
 * Reads the JSON text of a request. Escapes of lone surrogates read as U+FFFD (JSONV-19); of two members with one name the
 * last counts (JSONV-17).
 * @throws A2AError PARSE_ERROR when it is not JSON, INVALID_REQUEST when it is nested deeper than {@link MAX_DEPTH}
 */
export function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text.includes("\\ud") || text.includes("\\uD") ? wellFormed(text) : text);
  } catch (cause) {
    throw new A2AError("PARSE_ERROR", undefined, { cause });
  }
  if (hasBrackets(text, MAX_DEPTH) && depthOf(text) > MAX_DEPTH) {
    throw new A2AError("INVALID_REQUEST", `Invalid request: nested deeper than ${MAX_DEPTH} levels`);
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
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (character === "}" || character === "]") depth -= 1;
  }
  return deepest;
}

/** Whether a JSON value is an object: no list and not null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
