/** What of a request may hold credentials. */
export interface SecretSource {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Raw query; absent where it is not known. */
  readonly query?: string;
  /** Every value of a header, where `headers` keeps the first one only. */
  valuesOf?(name: string): readonly string[];
}

/** Headers that hold no credentials, and whose values are words that errors are made of. */
const HARMLESS =
  /^(host|connection|content-.*|transfer-encoding|accept.*|user-agent|a2a-.*|origin|cache-control|last-event-id|trace.*|sec-.*|te|via|date|.*forwarded.*)$/;
const MIN_LENGTH = 4;
const REDACTED = "[redacted]";
/** How far causes of causes are followed. */
const MAX_CAUSES = 5;

/** Takes the credentials of a request out of a text (§13.4). */
export type Redaction = (text: string) => string;

/** What takes the credentials of a request out of texts: whatever may be one, whole, in parts, and out of its base64. */
export function redactionFor(source: SecretSource): Redaction {
  const secrets = secretsOf(source);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
}

/**
 * An error as it may be logged: its texts without the credentials of a request, and of its other members those that are plain
 * values. Objects are left behind, as HTTP clients hang whole requests with all their headers on what they throw. Members that
 * throw when they are read are left out.
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
  // Why a connection failed is in the cause of what `fetch` throws.
  const cause = read(thrown, "cause");
  if (cause !== undefined && causes > 0) copy.cause = redactedError(cause, clean, causes - 1);
  return copy;
}

/** Whether a value is an error; a proxy that throws when it is asked is none. */
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

/** Texts of a request that may be credentials, and their parts; the longest first, as one may be within another. */
function secretsOf(source: SecretSource): string[] {
  const { headers, query = "" } = source;
  const shown = Object.entries(headers)
    .filter(([name]) => !HARMLESS.test(name))
    .flatMap(([name, value = []]) => [value, source.valuesOf?.(name) ?? []].flat(2));
  const parts = [query, ...new URLSearchParams(query).values(), ...shown].flatMap((text) => {
    const words = text.split(/[\s;,]+/);
    const values = words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]);
    const unwrapped = words.map((word) => Buffer.from(word, "base64").toString());
    return [text, ...values, ...unwrapped, ...unwrapped.flatMap((pair) => pair.split(":"))];
  });
  const secrets = new Set(parts.filter((part) => part.length >= MIN_LENGTH));
  return [...secrets].sort((one, other) => other.length - one.length);
}
