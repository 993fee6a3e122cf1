import { parseUrl } from "../parse-url.js";
import { keySet } from "./json-web-tokens.js";
import { pausing } from "./pausing.js";
import { checkedUrl, type Fetch, fetchText } from "./remote-document.js";
import type { Issuer } from "./token-rules.js";

/** Where an issuer describes itself. */
export interface Discovery {
  /** Its metadata (RFC 8414, OpenID Connect Discovery). */
  readonly url: URL;
  /** What the metadata must name as issuer. Without it, the issuer that stands at such a URL. */
  readonly issuer?: string | undefined;
  readonly fetch?: Fetch | undefined;
}

/**
 * Finds an issuer by its metadata: when first needed, and then it is known.
 * @returns what finds it; rejects when the metadata cannot be had
 */
export function discoveredIssuer(discovery: Discovery): () => Promise<Issuer> {
  const read = pausing(() => discover(discovery));
  let found: Issuer | undefined;
  return async () => {
    found ??= await read();
    return found;
  };
}

async function discover({ url, issuer: expected, fetch }: Discovery): Promise<Issuer> {
  const metadata: unknown = JSON.parse(await fetchText(url, { fetch }));
  const { issuer, jwks_uri: keys } = Object(metadata) as { issuer?: unknown; jwks_uri?: unknown };
  if (typeof issuer !== "string" || typeof keys !== "string") {
    throw new TypeError(`The metadata at ${url.href} name no issuer or no jwks_uri`);
  }
  const fits = expected === undefined ? standsAt(issuer, url) : issuer === expected;
  if (!fits) throw new TypeError(`The metadata at ${url.href} are those of another issuer, ${issuer}`);
  return { issuer, keyFor: keySet({ keys: checkedUrl(keys), ...(fetch && { fetch }) }) };
}

const OPENID = "/.well-known/openid-configuration";
const OAUTH = "/.well-known/oauth-authorization-server";

/**
 * Whether an issuer's metadata belong at a URL: behind the issuer's own (OpenID Connect Discovery §4), or between its host and
 * its path (RFC 8414 §3). Of other places nothing is known but the host.
 */
function standsAt(issuer: string, { origin, pathname }: URL): boolean {
  if (parseUrl(issuer) === undefined) return false;
  const own = new URL(issuer);
  const path = own.pathname.replace(/\/$/, "");
  if (own.origin !== origin) return false;
  if (pathname.endsWith(OPENID)) return pathname === path + OPENID;
  return !pathname.startsWith(OAUTH) || pathname === OAUTH + path;
}
