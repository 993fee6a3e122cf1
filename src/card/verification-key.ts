import type { CryptoKey, JWK, KeyObject } from "jose";
import { isJsonObject } from "../json/json-text.js";
import { boundedText } from "../net/bounded-text.js";
import { parseUrl } from "../net/url.js";

/** A public key that the caller trusts. */
export interface TrustedKey {
  /** Id by which signatures name the key. */
  readonly kid: string;
  /** The public key. */
  readonly key: CryptoKey | KeyObject | JWK;
  /** The only algorithm that the key may be used with. A JWK may also name it in its `alg`. */
  readonly alg?: string;
  /** Start of the key's validity. */
  readonly notBefore?: Date;
  /** End of the key's validity. */
  readonly expires?: Date;
  /** Whether the key must no longer be used. */
  readonly revoked?: boolean;
}

/** Key sets that a signature may refer to (§8.4.3). */
export interface KeySetPolicy {
  /** Trusted hosts, with a port unless it is 443. */
  readonly hosts: readonly string[];
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_KEY_SET_BYTES = 256 * 1024;

/**
 * Why a key must not be used now, or undefined when it may: expired, revoked, not yet valid, or meant for something
 * else (§8.4.3).
 * @param now milliseconds since 1970
 */
export function unusable(trusted: TrustedKey, alg: string, now: number): string | undefined {
  const jwk: DatedJwk = "kty" in trusted.key ? trusted.key : {};
  const expires = trusted.expires?.getTime() ?? milliseconds(jwk.exp);
  const notBefore = trusted.notBefore?.getTime() ?? milliseconds(jwk.nbf);
  const only = trusted.alg ?? jwk.alg;
  if (trusted.revoked || jwk.revoked) return "the key is revoked";
  if (expires !== undefined && expires <= now) return "the key has expired";
  if (notBefore !== undefined && notBefore > now) return "the key is not valid yet";
  if (only !== undefined && only !== alg) return "the key is for another algorithm";
  if (jwk.use !== undefined && jwk.use !== "sig") return "the key is not for signatures";
  if (jwk.key_ops !== undefined && !jwk.key_ops.includes("verify")) return "the key is not for verification";
  return undefined;
}

/** A JWK with the members that describe its validity. */
type DatedJwk = Partial<JWK> & { readonly exp?: unknown; readonly nbf?: unknown; readonly revoked?: unknown };

/** A date of a JWK (seconds since 1970) in milliseconds. */
function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? seconds * 1000 : undefined;
}

/**
 * Reads the key `kid` from the key set at `jku`: only over https, only from an allowed host, without redirects, bounded
 * in size and time.
 * @returns undefined when the set has no such key
 * @throws Error when `jku` is not allowed, cannot be fetched, or is not JSON
 */
export async function keyAt(jku: string, kid: string, policy: KeySetPolicy): Promise<TrustedKey | undefined> {
  if (parseUrl(jku) === undefined) throw new Error("its jku is not a URL");
  const url = new URL(jku);
  if (url.protocol !== "https:") throw new Error("its jku is not https");
  if (!policy.hosts.includes(url.host)) throw new Error(`its jku is on ${url.host}, which is not allowed`);
  const response = await (policy.fetch ?? fetch)(url, {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`its jku answers ${response.status}`);
  }
  const set: unknown = JSON.parse(await boundedText(response, MAX_KEY_SET_BYTES));
  const keys: readonly unknown[] = isJsonObject(set) && Array.isArray(set.keys) ? set.keys : [];
  const key = keys.find(
    (entry): entry is JWK => isJsonObject(entry) && typeof entry.kty === "string" && entry.kid === kid,
  );
  return key && { kid, key };
}
