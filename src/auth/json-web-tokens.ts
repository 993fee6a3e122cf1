import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { tokenReader } from "./bearer-tokens.js";
import { checkedUrl, type Fetch, fetchText, pausing } from "./remote-document.js";
import { checkRules, type Issuer, judge, type TokenRules } from "./token-rules.js";
import type { Verifier } from "./verifier.js";

/** Where the public keys of an issuer are. */
export interface KeySetOptions {
  /** A JSON Web Key Set (RFC 7517): itself, or the https URL at which the issuer keeps it. */
  readonly keys: JSONWebKeySet | URL | string;
  /** Instead of the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/** What {@link jsonWebTokens} goes by. */
export interface JsonWebTokenOptions extends TokenRules, KeySetOptions {
  /** Who must have issued a token. With several, `identify` must keep their subjects apart. */
  readonly issuer: string | readonly string[];
}

/**
 * Vouches for callers by tokens that their issuer has signed (JWT). Fits OAuth 2.0, OpenID Connect and HTTP Bearer. The key
 * set is read when first needed and again when a token names a key that is not in it, at most every 30 s.
 *
 * @throws TypeError for options under which no token could be right, or a wrong one could
 */
export function jsonWebTokens(options: JsonWebTokenOptions): Verifier {
  const issuer = { issuer: checkedIssuer(options), keyFor: keySet(options) };
  return signedTokens(options, () => () => Promise.resolve(issuer));
}

/**
 * A verifier of tokens whose issuer is found out later.
 * @param open makes, of the scheme, what finds the issuer
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
        return token?.value === undefined ? token : judge(token.value, rules, find);
      };
    },
  };
}

/** @throws TypeError when there is none, or their subjects could be mixed up */
function checkedIssuer({ issuer, identify }: JsonWebTokenOptions): string | readonly string[] {
  const issuers = [issuer].flat().filter((one) => typeof one === "string" && one !== "");
  if (issuers.length === 0) throw new TypeError("A verifier of signed tokens needs an issuer");
  if (issuers.length > 1 && identify === undefined) {
    throw new TypeError("With several issuers, identify must say who is who: they may use the same subjects");
  }
  return issuers;
}

/**
 * Finds the key of a token in a key set.
 * @throws TypeError when there cannot be one
 */
export function keySet({ keys, fetch }: KeySetOptions): JWTVerifyGetKey {
  const open = typeof keys === "string" || keys instanceof URL ? remoteKeys(keys, fetch) : localKeys(keys);
  let opened: Promise<JWTVerifyGetKey> | undefined;
  return async (header, token) => {
    opened ??= open();
    return (await opened)(header, token);
  };
}

/** jose is loaded with the first token: most agents never see one. */
type OpenKeys = () => Promise<JWTVerifyGetKey>;

function localKeys(set: JSONWebKeySet): OpenKeys {
  if (!Array.isArray(set?.keys)) throw new TypeError("A key set has a list of keys");
  return async () => {
    const { createLocalJWKSet } = await import("jose");
    return createLocalJWKSet(set);
  };
}

function remoteKeys(address: URL | string, fetch: Fetch | undefined): OpenKeys {
  const url = checkedUrl(address);
  const read = pausing(() => fetchText(url, { fetch }));
  return async () => {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    return createRemoteJWKSet(url, { [customFetch]: async () => new Response(await read()) });
  };
}
