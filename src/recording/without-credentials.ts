import { replaceStrings } from "../json/json-string.js";
import { parseUrl } from "../net/url.js";
import type { RecordedExchange } from "./recorded-exchange.js";

/** Replaces a credential. */
const REMOVED = "[removed]";

/** Names of headers, query parameters and members whose values are credentials. */
const SECRET_NAME =
  /^(authorization|proxy-authorization|cookie|set-cookie|.*(api[-_]?key|token|secret|password|credential).*)$/i;

/** Media type of OAuth requests. Their bodies and answers are removed as a whole, because they consist of credentials. */
const FORM = /^application\/x-www-form-urlencoded/i;
/** How the body of a form begins, for requests without its media type. JSON has no equals sign outside of its strings. */
const FORM_START = /^\s*[^\s"{=]+=/;

/** Members of JSON with a credential as text, up to its opening quote: of push configs, and of answers that have tokens. */
const MEMBER =
  /"(?:token|credentials|password|client[-_]?secret|(?:access|refresh|id)[-_]?token|device[-_]?code|(?:x[-_])?api[-_]?key)"\s*:\s*"/gi;

/** Name of the credentials of a push config in the flat dialect, and what precedes the text of their member `value`. */
const FLAT_CREDENTIALS = /"authentication_?info"/i;
const FLAT_MEMBER = /"value"\s*:\s*"/g;

/** Whether a header or a query parameter of this name has a credential. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** A URL without the credentials of its query and of its authority. */
export function urlWithoutCredentials(text: string): string {
  const url = new URL(text);
  url.username = url.password = "";
  for (const name of new Set(url.searchParams.keys()))
    if (isSecretName(name)) url.searchParams.set(name, REMOVED);
  return url.href;
}

/**
 * As {@link urlWithoutCredentials}, but a URL without credentials is not normalized. Of a text that is not a URL with a host, only what is
 * between its last `@` and its query is left.
 */
export function agentUrlWithoutCredentials(text: string): string {
  const url = parseUrl(text);
  if (!url?.host) return text.replace(/[?#].*$/s, "").replace(/^.*@/s, "");
  const cleaned = urlWithoutCredentials(text);
  return cleaned === url.href ? text : cleaned;
}

/** A text in which values that the caller names are removed. */
export function withoutValues(text: string, values: readonly string[]): string {
  return values.reduce((left, value) => (value === "" ? left : left.replaceAll(value, REMOVED)), text);
}

/**
 * An exchange without its credentials: those in known headers, query parameters and JSON members, and those that the caller names. The
 * bodies of forms and of their answers are removed as a whole.
 * @param secrets values that are removed wherever they occur
 */
export function withoutCredentials(
  exchange: RecordedExchange,
  secrets: readonly string[] = [],
): RecordedExchange {
  const clean = (text: string): string => withoutValues(text, secrets);
  const { url, request, answer, headers, requestHeaders, failure } = exchange;
  const isForm =
    FORM_START.test(request) ||
    Object.entries(requestHeaders ?? {}).some(
      ([name, value]) => name.toLowerCase() === "content-type" && FORM.test(value),
    );
  const body = (text: string): string => (isForm && text !== "" ? REMOVED : clean(withoutMembers(text)));
  const fields = (all: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, isSecretName(name) ? REMOVED : clean(value)]),
    );
  const cleaned: RecordedExchange = {
    ...exchange,
    ...{ url: clean(urlWithoutCredentials(url)), request: body(request), headers: fields(headers) },
    answer: body(answer),
    ...(requestHeaders && { requestHeaders: fields(requestHeaders) }),
    ...(failure !== undefined && { failure: clean(failure) }),
  };
  return cleaned.answer.length === answer.length ? cleaned : withoutPieces(cleaned);
}

/** JSON text without the credentials in its members. */
function withoutMembers(text: string): string {
  const left = replaceStrings(text, MEMBER, REMOVED);
  return FLAT_CREDENTIALS.test(text) ? replaceStrings(left, FLAT_MEMBER, REMOVED) : left;
}

/** Removes the positions of the pieces, which are those of the original text. */
function withoutPieces(exchange: RecordedExchange): RecordedExchange {
  if (exchange.times === undefined) return exchange;
  const { pieces: _, ...times } = exchange.times;
  return { ...exchange, times };
}
