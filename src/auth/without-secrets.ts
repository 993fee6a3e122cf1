import { A2AError } from "../errors.js";
import type { IncomingRequest } from "../incoming-request.js";

/** Headers that hold no credentials, and whose values are words that errors are made of. */
const HARMLESS =
  /^(host|connection|content-.*|transfer-encoding|accept.*|user-agent|a2a-.*|origin|cache-control|last-event-id)$/;
const MIN_LENGTH = 4;
const REDACTED = "[redacted]";

/**
 * What was thrown while a request's credentials were checked, for the caller and for logs: text of the request is taken out of
 * it, since an error of the application or of a library may well repeat it (SEC-12). What else it carries is left behind.
 */
export function withoutSecrets(thrown: unknown, request: IncomingRequest): A2AError {
  const secrets = secretsOf(request);
  const clean = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  const { code, message, retryAfter, challenge, metadata, violations, cause } = A2AError.from(thrown);
  return new A2AError(code, clean(message), {
    metadata,
    violations,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(challenge !== undefined && { challenge }),
    ...(cause !== undefined && {
      cause: cause instanceof Error ? cleaned(cause, clean) : clean(String(cause)),
    }),
  });
}

function cleaned(error: Error, clean: (text: string) => string): Error {
  const copy = new Error(clean(error.message));
  copy.name = error.name;
  if (error.stack !== undefined) copy.stack = clean(error.stack);
  // Why a connection failed is in the cause of what `fetch` throws.
  if (error.cause instanceof Error) copy.cause = cleaned(error.cause, clean);
  return copy;
}

/** Texts of a request that may be credentials, and their parts; the longest first, as one may be within another. */
function secretsOf(request: IncomingRequest): string[] {
  const { headers, query } = request;
  const shown = Object.entries(headers)
    .filter(([name]) => !HARMLESS.test(name))
    .flatMap(([name, value = []]) => [value, request.valuesOf?.(name) ?? []].flat(2));
  const texts = [query, ...new URLSearchParams(query).values(), ...shown];
  const parts = texts.flatMap((text) => {
    const words = text.split(/[\s;,]+/);
    const values = words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]);
    const unwrapped = words.map((word) => Buffer.from(word, "base64").toString());
    return [text, ...values, ...unwrapped, ...unwrapped.flatMap((pair) => pair.split(":"))];
  });
  const secrets = new Set(parts.filter((part) => part.length >= MIN_LENGTH));
  return [...secrets].sort((one, other) => other.length - one.length);
}
