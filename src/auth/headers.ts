import type { IncomingRequest } from "./incoming-request.js";
import type { Credential } from "./verifier.js";

/** Maximum length of a credential in characters, whatever length of header the server accepts. */
const MAX_LENGTH = 16 * 1024;

/** The credentials as received: none, one value, or an unusable value. */
export function single(values: readonly string[]): Credential<string> {
  const [value, ...others] = values;
  if (value === undefined) return undefined;
  // A proxy in front of this server may have evaluated a different one.
  if (others.length > 0) return { refused: "repeated" };
  return value === "" || value.length > MAX_LENGTH ? { refused: "malformed" } : { value };
}

/**
 * All values of a header, in the order received. If the request has no `valuesOf`, several values may be joined in one, or only the first
 * one be present.
 * @param name in lower case
 */
export function valuesOf(request: IncomingRequest, name: string): readonly string[] {
  if (request.valuesOf !== undefined) return request.valuesOf(name);
  const value = request.headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

const AUTHORIZATION = /^([!#$%&'*+.^_`|~\w-]+)(?: +(.*))?$/;

/**
 * The text after the scheme name in the header `Authorization` (RFC 9110 §11.6.2). Scheme names are compared
 * case-insensitively.
 *
 * @param word scheme name in lower case
 * @returns undefined when the header is absent or belongs to another scheme; a refusal when it is repeated or malformed
 */
export function authorizationCredential(request: IncomingRequest, word: string): Credential<string> {
  const header = single(valuesOf(request, "authorization"));
  if (header?.value === undefined) return header;
  const [, found, credentials = ""] = AUTHORIZATION.exec(header.value) ?? [];
  if (found === undefined) return { refused: "malformed" };
  if (found.toLowerCase() !== word) return undefined;
  return credentials === "" ? { refused: "malformed" } : { value: credentials };
}
