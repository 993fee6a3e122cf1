import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { assertObject } from "../protocol/argument.js";
import { tokenReader } from "./bearer-tokens.js";
import { checkedUrl, type FetchFunction, fetchText, pausing } from "./remote-document.js";
import { checkRules, type Issuer, type TokenRules, verifyToken } from "./token-rules.js";
import type { Verifier } from "./verifier.js";

/** Location of an issuer's public keys. */
export interface KeySetOptions {
  /** A JSON Web Key Set (RFC 7517): the object, or the https URL where the issuer publishes it. */
  readonly keys: JSONWebKeySet | URL | string;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: FetchFunction | undefined;
}

/** Options of {@link jsonWebTokens}. */
export interface JsonWebTokenOptions extends TokenRules, KeySetOptions {
  /** Accepted issuers. With several, `identify` must keep their subjects apart. */
  readonly issuer: string | readonly string[];
}

/**
 * Authenticates callers by signed tokens (JWT). Fits OAuth 2.0, OpenID Connect and every HTTP scheme except Basic. A key set
 * with a URL is fetched for the first token, for one that arrives when the set is older than ten minutes, and, at most every
 * 30 s, for one that names an unknown key. A failed fetch is repeated after 5 s at the earliest.
 *
 * @example
 * ```ts
 * verifiers: {
 *   oidc: jsonWebTokens({ issuer: "https://id.example", audience: "planner", keys: "https://id.example/keys" }),
 * }
 * ```
 * @throws TypeError for options under which no token could be valid, or a forged one could
 */
export function jsonWebTokens(options: JsonWebTokenOptions): Verifier {
  assertObject(options, "jsonWebTokens needs { issuer, audience, keys }");
  const issuer = { issuer: checkedIssuer(options), keyFor: keySet(options) };
  return signedTokens(options, () => () => Promise.resolve(issuer));
}

/**
 * A verifier of tokens whose issuer is determined later.
 * @param open makes the function that finds the issuer of a scheme
 * @throws TypeError as {@link checkRules}
 */
export function signedTokens(
  rules: TokenRules,
  open: (...scheme: Parameters<Verifier["open"]>) => () => Promise<Issuer>,
): Verifier {
  checkRules(rules);
  return {
    requiredScopes: rules.requiredScopes ?? [],
    open(scheme) {
      const read = tokenReader(scheme);
      const find = open(scheme);
      return async (request) => {
        const token = read(request);
        return token?.value === undefined ? token : verifyToken(token.value, rules, find);
      };
    },
  };
}

/** @throws TypeError when there is no issuer, or when subjects of several issuers could collide */
function checkedIssuer({ issuer, identify }: JsonWebTokenOptions): string | readonly string[] {
  const issuers = [issuer].flat().filter((one) => typeof one === "string" && one !== "");
  if (issuers.length === 0) throw new TypeError("A verifier of signed tokens needs an issuer");
  if (issuers.length > 1 && identify === undefined) {
    throw new TypeError(
      "With several issuers, set `identify` to tell their callers apart: two issuers may use the same subject",
    );
  }
  return issuers;
}

/**
 * Creates the function that finds the key of a token in a key set.
 * @throws TypeError for a set without a list `keys`, or a URL that is neither https nor http on this machine
 */
export function keySet({ keys, fetch }: KeySetOptions): JWTVerifyGetKey {
  const open = typeof keys === "string" || keys instanceof URL ? remoteKeys(keys, fetch) : localKeys(keys);
  let opened: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    opened ??= open();
    return (await opened)(header, token);
  };
}

/** Opens a key set. jose is imported with the first token: most agents never receive one. */
type OpenKeys = () => Promise<JWTVerifyGetKey>;

function localKeys(set: JSONWebKeySet): OpenKeys {
  if (!Array.isArray(set?.keys)) throw new TypeError("A key set must have a list `keys`");
  return async () => {
    const { createLocalJWKSet } = await import("jose");
    return createLocalJWKSet(set);
  };
}

function remoteKeys(address: URL | string, fetch: FetchFunction | undefined): OpenKeys {
  const url = checkedUrl(address);
  const read = pausing(() => fetchText(url, { fetch }));
  return async () => {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    return createRemoteJWKSet(url, { [customFetch]: async () => new Response(await read()) });
  };
}
