import { createHash, createPublicKey, KeyObject, randomUUID, type webcrypto } from "node:crypto";
import type { JSONWebKeySet, JWK } from "jose";
import { callHook } from "../async/hook.js";
import { signatureAlgorithms } from "../protocol/signature-algorithms.js";

/** A private key with which notifications are signed. */
export interface PushKey {
  readonly key: webcrypto.CryptoKey | KeyObject | JWK;
  /** Name under which receivers find the public key. */
  readonly kid: string;
  /** JWS algorithm that fits the key, such as `ES256`. Only algorithms with a public key make sense. */
  readonly alg: string;
}

/** Who signs, and with what. */
export interface PushSigning {
  /** Name of the agent in the tokens (`iss`), usually its URL; receivers are told to expect it. */
  readonly issuer: string;
  /**
   * The first key signs, all of them are published. To change keys, publish the new one as the second, make it the first when
   * receivers have had the time to see it, and drop the old one when its last tokens have expired. A function is asked
   * each time, so that keys can change while the server runs.
   */
  readonly keys: readonly PushKey[] | (() => readonly PushKey[]);
}

/** What a notification is signed for. */
export interface Signed {
  readonly audience: string;
  readonly taskId: string;
  readonly generation: number;
  /** The very bytes that are sent, as text. */
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Seconds for which a token counts: long enough for a slow clock, short enough to be useless soon. */
const LIFETIME = 300;

/** Members of a JWK that make it a private or secret one, or say what the private one is for. */
const UNPUBLISHED = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv", "key_ops", "ext"];

/**
 * Signs notifications with a JWT (PUSH-17): issuer, audience, times, a unique id and the task, and the hash of the body under
 * the two names that receivers look for.
 */
export class Signer {
  readonly #signing: PushSigning;

  /** @throws TypeError when there is no key, or one that cannot be used */
  constructor(signing: PushSigning) {
    this.#signing = signing;
    const keys = this.#keys();
    if (!signing.issuer) throw new TypeError("push.signing.issuer must name the agent");
    if (keys.length === 0) throw new TypeError("push.signing.keys: give at least one");
    for (const { alg, kid } of keys) {
      if (!kid) throw new TypeError("push.signing.keys: every key needs a kid");
      if (!signatureAlgorithms.includes(alg))
        throw new TypeError(
          `push.signing.keys: key "${kid}" has the algorithm ${alg}, which has no public key`,
        );
    }
  }

  /** The token for one attempt to deliver: each has its own id. */
  async sign({ audience, taskId, generation, body, now }: Signed): Promise<string> {
    const [first] = this.#keys();
    if (first === undefined) throw new TypeError("push.signing.keys gave no key");
    // Loaded when there is something to sign: most agents never have.
    const { SignJWT } = await import("jose");
    const digest = createHash("sha256").update(body).digest("hex");
    const issued = Math.floor(now / 1000);
    return new SignJWT({ taskId, generation, payload_hash: digest, request_body_sha256: digest })
      .setProtectedHeader({ alg: first.alg, kid: first.kid, typ: "JWT" })
      .setIssuer(this.#signing.issuer)
      .setAudience(audience)
      .setIssuedAt(issued)
      .setExpirationTime(issued + LIFETIME)
      .setJti(randomUUID())
      .sign(first.key);
  }

  /** The public keys, for `/.well-known/jwks.json`. */
  async keySet(): Promise<JSONWebKeySet> {
    const keys = await Promise.all(
      this.#keys().map(async ({ key, kid, alg }) => ({ ...(await publicKey(key)), kid, alg, use: "sig" })),
    );
    return { keys };
  }

  #keys(): readonly PushKey[] {
    const { keys } = this.#signing;
    const given = typeof keys === "function" ? callHook<readonly PushKey[]>({ call: keys }, rethrow) : keys;
    if (!(given instanceof Promise)) return given;
    given.catch(() => undefined);
    throw new TypeError("push.signing.keys must give its keys at once, not as a promise");
  }
}

function rethrow(error: Error): never {
  throw error;
}

async function publicKey(key: PushKey["key"]): Promise<JWK> {
  if (isJwk(key)) {
    const members = Object.entries(key).filter(([member]) => !UNPUBLISHED.includes(member));
    return Object.fromEntries(members) as JWK;
  }
  const own = key instanceof KeyObject ? key : KeyObject.from(key);
  const { exportJWK } = await import("jose");
  return exportJWK(own.type === "private" ? createPublicKey(own) : own);
}

function isJwk(key: PushKey["key"]): key is JWK {
  return "kty" in key;
}
