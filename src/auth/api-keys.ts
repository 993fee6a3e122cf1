import type { APIKeySecurityScheme } from "../protocol/model.js";
import { single, valuesOf } from "./headers.js";
import type { IncomingRequest } from "./incoming-request.js";
import { inTable } from "./secret-table.js";
import { type Credential, type Identity, proofOf, type Verifier, type VerifierAnswer } from "./verifier.js";

/** Looks up the owner of a key. */
export type KeyCheck = (key: string, request: IncomingRequest) => VerifierAnswer | Promise<VerifierAnswer>;

/**
 * Authenticates callers by a key in a header, a query parameter or a cookie, as the card's scheme says (§4.5.2).
 *
 * @param known owners by key, or a function that looks them up
 * @example
 * ```ts
 * verifiers: { key: apiKeys({ [aliceKey]: "alice" }) }
 * ```
 * @throws TypeError for an argument that is neither a table nor a function, an empty key, or an owner that is not an identity
 */
export function apiKeys(known: Readonly<Record<string, Identity | string>> | KeyCheck): Verifier {
  const check = typeof known === "function" ? known : inTable(known);
  return {
    open({ apiKeySecurityScheme: scheme }) {
      if (scheme === undefined) throw new TypeError("is not an API key, which is what its verifier checks");
      const read = readerOf(scheme);
      return async (request) => {
        const key = read(request);
        return key?.value === undefined ? key : proofOf(await check(key.value, request));
      };
    },
  };
}

type Reader = (request: IncomingRequest) => Credential<string>;

/** How a key is read, by the location that the scheme names (§4.5.2). */
const readers: Readonly<Record<string, (name: string) => Reader>> = {
  header: (name) => {
    const lower = name.toLowerCase();
    return (request) => single(valuesOf(request, lower));
  },
  query:
    (name) =>
    ({ query }) =>
      query === "" ? undefined : single(new URLSearchParams(query).getAll(name)),
  cookie: (name) => (request) => single(cookies(request, name)),
};

function readerOf({ location, name }: APIKeySecurityScheme): Reader {
  const reader = Object.hasOwn(readers, location) ? readers[location] : undefined;
  if (reader === undefined) {
    const places = Object.keys(readers).join(", ");
    throw new TypeError(`has the location ${JSON.stringify(location)}, which is not one of ${places}`);
  }
  if (name === "") throw new TypeError("has no name");
  return reader(name);
}

/** Values of the cookies with a name, unquoted but otherwise unchanged (RFC 6265 §4.2). */
function cookies(request: IncomingRequest, name: string): string[] {
  return valuesOf(request, "cookie")
    .flatMap((header) => header.split(";"))
    .flatMap((pair) => {
      const end = pair.indexOf("=");
      if (end < 0 || pair.slice(0, end).trim() !== name) return [];
      const value = pair.slice(end + 1).trim();
      return [value.replace(/^"(.*)"$/, "$1")];
    });
}
