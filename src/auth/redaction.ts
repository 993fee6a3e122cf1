import { decodeText } from "../json/base64-text.js";

/** The parts of a request that may contain credentials. */
export interface SecretSource {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Raw query; absent when unknown. */
  readonly query?: string;
  /** All values of a header; `headers` may have the first one only. */
  valuesOf?(name: string): readonly string[];
}

/** Headers without credentials, whose values commonly appear in error texts. */
const HARMLESS =
  /^(host|connection|content-.*|transfer-encoding|accept.*|user-agent|a2a-.*|origin|cache-control|last-event-id|trace.*|sec-.*|te|via|date|.*forwarded.*)$/;
/** Shorter values are not removed: they also occur in texts by chance. */
const MIN_LENGTH = 4;
const REDACTED = "[redacted]";
/** Maximum depth to which chained causes are followed. */
const MAX_CAUSES = 5;

/** Removes the credentials of a request from a text (§13.4). */
export type Redaction = (text: string) => string;

/**
 * Makes the function that removes a request's credentials from texts: every value that may be one, whole, in parts, and
 * decoded from base64.
 */
export function redactionFor(source: SecretSource): Redaction {
  const secrets = secretsOf(source);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

/**
 * An error that is safe to log: its texts without the request's credentials, and its other members if they are strings,
 * numbers or booleans. Objects are dropped, because HTTP clients attach whole requests with their headers to errors.
 * Members whose accessors throw are left out. A thrown value that is not an error becomes a string.
 * @param causes maximum depth to which chained causes are followed
 */
export function redactedError(thrown: unknown, clean: Redaction, causes = MAX_CAUSES): unknown {
  if (!isError(thrown)) return clean(typeof thrown === "string" ? thrown : typeName(thrown));
  const copy = new Error(clean(textOf(read(thrown, "message")) ?? "The message of the error cannot be read"));
  for (const name of namesOf(thrown)) {
    const value = read(thrown, name);
    if (typeof value === "string") Object.assign(copy, { [name]: clean(value) });
    else if (typeof value === "number" || typeof value === "boolean") Object.assign(copy, { [name]: value });
  }
  const name = textOf(read(thrown, "name"));
  if (name !== undefined && copy.name !== name) copy.name = name;
  const stack = textOf(read(thrown, "stack"));
  if (stack !== undefined) copy.stack = clean(stack);
  // `fetch` puts the reason of a failed connection into the cause.
  const cause = read(thrown, "cause");
  if (cause !== undefined && causes > 0) copy.cause = redactedError(cause, clean, causes - 1);
  return copy;
}

/** Whether a value is an error; a proxy that throws on access is not. */
function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/** A member of an error; undefined when reading it throws. */
function read(error: Error, name: string): unknown {
  try {
    return error[name as keyof Error];
  } catch {
    return undefined;
  }
}

function namesOf(error: Error): string[] {
  try {
    return Object.keys(error);
  } catch {
    return [];
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function typeName(value: unknown): string {
  return value === null || value === undefined ? String(value) : `a value of type ${typeof value} was thrown`;
}

/** Texts of a request that may be credentials, and their parts, longest first because one may contain another. */
function secretsOf(source: SecretSource): string[] {
  const { headers, query = "" } = source;
  const values = Object.entries(headers)
    .filter(([name]) => !HARMLESS.test(name))
    .flatMap(([name, value = []]) => [value, source.valuesOf?.(name) ?? []].flat(2));
  const parts = [query, ...new URLSearchParams(query).values(), ...values].flatMap((text) => {
    const words = text.split(/[\s;,]+/);
    const pairs = words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]);
    const unwrapped = words.map((word) => decodeText(word));
    return [text, ...pairs, ...unwrapped, ...unwrapped.flatMap((pair) => pair.split(":"))];
  });
  const secrets = new Set(parts.filter((part) => part.length >= MIN_LENGTH));
  return [...secrets].sort((one, other) => other.length - one.length);
}
