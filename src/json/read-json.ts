import { type A2AError, clientError } from "../protocol/errors.js";
import { holderOf, type JsonPath } from "./json-path.js";
import { hasMoreMembers, hasMoreValues, LongName, MAX_NAME, parseJson } from "./json-text.js";

/** Limits on the content of a JSON text, independent of its length. */
export interface JsonBounds {
  /** Maximum nesting of objects and lists; 100 by default. */
  readonly nesting?: number;
  /** Maximum number of values, counted by objects, lists and commas; unlimited by default. */
  readonly values?: number;
  /** Maximum number of members of all objects together; unlimited by default. */
  readonly members?: number;
}

/**
 * Parses the JSON text of a request, as {@link parseJson} does.
 * @throws A2AError PARSE_ERROR for invalid JSON, INVALID_REQUEST when a limit is exceeded
 */
export function readJson(text: string, bounds: JsonBounds = {}): unknown {
  const { nesting, values = Number.POSITIVE_INFINITY, members = Number.POSITIVE_INFINITY } = bounds;
  // Checked before parsing: three characters of text can become an object of 56 bytes.
  if (hasMoreValues(text, values)) throw tooManyValues(values);
  // Many names make objects slow to parse, to copy and to write, whether one object has them or thousands.
  if (hasMoreMembers(text, members)) throw tooManyMembers(members);
  try {
    return parseJson(text, nesting);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw clientError("PARSE_ERROR", undefined, { cause });
    if (cause instanceof LongName) throw longNameIn(holderOf(text, cause.position));
    throw clientError("INVALID_REQUEST", `Invalid request: ${cause.message}`);
  }
}

/**
 * Checks the values and members of a JSON value that was not read from JSON text.
 * @throws A2AError INVALID_REQUEST when a limit is exceeded
 */
export function checkJsonBounds(
  value: unknown,
  { values = Number.POSITIVE_INFINITY, members = Number.POSITIVE_INFINITY }: JsonBounds,
): void {
  let [valueCount, memberCount] = [0, 0];
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    valueCount += 1;
    const isList = Array.isArray(next);
    let size = 0;
    for (const name in next) {
      size += 1;
      if (size > 1) valueCount += 1;
      if (!isList) memberCount += 1;
      if (memberCount > members) throw tooManyMembers(members);
      open.push(next[name as keyof typeof next]);
    }
    if (valueCount > values) throw tooManyValues(values);
  }
}

function tooManyValues(limit: number): A2AError {
  return clientError("INVALID_REQUEST", `Invalid request: it holds more than ${limit} values`);
}

function tooManyMembers(limit: number): A2AError {
  return clientError("INVALID_REQUEST", `Invalid request: its objects have more than ${limit} members`);
}

/** The error for a member name that is too long, in the object with this path. */
function longNameIn(field: JsonPath): A2AError {
  const message = `Invalid request: ${field || "the body"} has a member name of more than ${MAX_NAME} characters`;
  const description = `must have names of at most ${MAX_NAME} characters`;
  return clientError("INVALID_REQUEST", message, { violations: [{ field, description }] });
}
