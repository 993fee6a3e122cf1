import type { IncomingRequest } from "./incoming-request.js";
import type { Credential } from "./verifier.js";

/** Longer than this and it is no credential, whatever else a server lets through. */
const MAX_LENGTH = 16 * 1024;

/** Credentials as they came: nothing, one value that can be judged, or something that cannot. */
export function single(values: readonly string[]): Credential<string> {
  const [value, ...others] = values;
  if (value === undefined) return undefined;
  // Whoever is in front of this server may have looked at another one of them.
  if (others.length > 0) return { refused: "repeated" };
  return value === "" || value.length > MAX_LENGTH ? { refused: "malformed" } : { value };
}

/** Every value of a header, in the order in which they came. */
export function valuesOf(request: IncomingRequest, name: string): readonly string[] {
  if (request.valuesOf !== undefined) return request.valuesOf(name);
  const value = request.headers[name];
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

const AUTHORIZATION = /^([!#$%&'*+.^_`|~\w-]+)(?: +(.*))?$/;

/**
 * What stands behind a scheme's word in the header `Authorization` (RFC 9110 §11.6.2), whose case does not matter; undefined
 * when the header is absent or is another scheme's.
 *
 * @param word lower case
 */
export function authorization(request: IncomingRequest, word: string): Credential<string> {
  const header = single(valuesOf(request, "authorization"));
  if (header?.value === undefined) return header;
  const [, found, credentials = ""] = AUTHORIZATION.exec(header.value) ?? [];
  if (found === undefined) return { refused: "malformed" };
  if (found.toLowerCase() !== word) return undefined;
  return credentials === "" ? { refused: "malformed" } : { value: credentials };
}
