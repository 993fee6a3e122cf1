import type { SecurityScheme } from "../../protocol/model.js";
import { ClientError } from "../client-error.js";
import { mergeHeaders } from "../service-parameters.js";

/** The parts of a request to which credentials are added. */
export interface CredentialTarget {
  readonly url: URL;
  readonly headers: Headers;
}

/** Usual spellings of HTTP authentication schemes, for servers that do not ignore their case. */
const SPELLINGS = ["Bearer", "Basic", "Digest"];

/** Matches characters that separate the cookies of a header, or are not allowed in their values (RFC 6265 §4.1.1). */
const NOT_IN_COOKIE = /[;,\s"\\]/;
/** Matches the same characters, and the one that ends a name. */
const NOT_IN_NAME = /[;,\s"\\=]/;

/**
 * Adds a value to the header, query or cookie that its scheme names (§4.5): for OAuth2 and OpenID Connect as a bearer token, for mutual TLS
 * nowhere.
 * @throws ClientError INVALID_OPTION when the value, or a name in the scheme, cannot be sent there; its message does not contain the value.
 * CARD_INVALID for an unknown location
 */
export function placeCredential(
  scheme: SecurityScheme,
  value: string,
  { url, headers }: CredentialTarget,
): void {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http } = scheme;
  if (key !== undefined) placeKey(key, value, { url, headers });
  else if (http !== undefined) {
    const usual = SPELLINGS.find((name) => name.toLowerCase() === http.scheme.toLowerCase());
    set(headers, "Authorization", `${usual ?? http.scheme} ${value}`);
  } else if (scheme.mtlsSecurityScheme === undefined) set(headers, "Authorization", `Bearer ${value}`);
}

function placeKey(
  { location, name }: { readonly location: string; readonly name: string },
  value: string,
  { url, headers }: CredentialTarget,
): void {
  if (location === "query") url.searchParams.set(name, value);
  else if (location === "header") set(headers, name, value);
  else if (location === "cookie") {
    if (NOT_IN_NAME.test(name) || NOT_IN_COOKIE.test(value)) throw invalidCredential("a cookie");
    const others = headers.get("Cookie");
    set(headers, "Cookie", `${others === null ? "" : `${others}; `}${name}=${value}`);
  } else
    throw new ClientError(
      "CARD_INVALID",
      `The card puts an API key in "${location}"; it must be in the header, the query or a cookie`,
    );
}

function set(headers: Headers, name: string, value: string): void {
  try {
    for (const [, text] of mergeHeaders({ [name]: value })) headers.set(name, text);
  } catch {
    throw invalidCredential("a header");
  }
}

function invalidCredential(target: string): ClientError {
  return new ClientError(
    "INVALID_OPTION",
    `A credential, or its scheme in the card, has characters that are not allowed in ${target}`,
  );
}
