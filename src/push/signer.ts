import type { KeyObject, webcrypto } from "node:crypto";
import type { JSONWebKeySet, JWK } from "jose";
import { runtime } from "#runtime";
import { callHook } from "../async/hook.js";
import { toHex } from "../json/hex.js";
import { signatureAlgorithms } from "../protocol/signature-algorithms.js";

/** A private key that signs notifications. */
export interface PushKey {
  /** The private key. */
  readonly key: webcrypto.CryptoKey | KeyObject | JWK;
  /** Key id, by which receivers find the public key. */
  readonly kid: string;
  /** JWS algorithm of the key, such as `ES256`. Symmetric algorithms are refused. */
  readonly alg: string;
}

/** The issuer and keys of signatures. */
export interface PushSigning {
  /** Name of the agent in the tokens (`iss`), usually its URL. Receivers must expect this name. */
  readonly issuer: string;
  /**
   * The first key signs; all keys are published. To rotate keys, publish the new one as the second, make it the first after
   * receivers have had time to fetch it, and remove the old one after its last tokens have expired. A function is called for every
   * use, so that keys can change while the server runs. The keys that exist when the server starts are checked then.
   */
  readonly keys: readonly PushKey[] | (() => readonly PushKey[]);
}

/** What one signature covers, and when it is made. */
export interface SignatureInput {
  /** URL of the webhook as it was registered. */
  readonly audience: string;
  readonly taskId: string;
  readonly generation: number;
  /** The body exactly as it is sent. */
  readonly body: string | Uint8Array;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Lifetime of a token in seconds: long enough for clocks that differ, short enough to limit replays. */
const LIFETIME = 300;

/** Members of a JWK that are secret, or that say how the private key may be used. */
const UNPUBLISHED = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv", "key_ops", "ext"];

/**
 * Signs notifications with a JWT that contains issuer, audience, times, a unique id, the task, the generation, and the hash of the body
 * under the two claim names that receivers look for.
 */
export class Signer {
  readonly #signing: PushSigning;

  /**
   * @throws TypeError when there is no issuer or no key, when a key has no `kid` or an `alg` that is refused, and when `keys` is not a list
   * or does not return one; the error that `keys` throws
   */
  constructor(signing: PushSigning) {
    this.#signing = signing;
    const keys = this.#keys();
    if (!signing.issuer) throw new TypeError("push.signing.issuer must name the agent");
    if (keys.length === 0) throw new TypeError("push.signing.keys must have at least one key");
    for (const { alg, kid } of keys) {
      if (!kid) throw new TypeError("push.signing.keys: every key needs a kid");
      if (!signatureAlgorithms.includes(alg))
        throw new TypeError(
          `push.signing.keys: key "${kid}" has the algorithm ${alg}, which is unknown or has no public key: use one of ${signatureAlgorithms.join(", ")}`,
        );
    }
  }

  /**
   * Creates the token for one request. Each token has a new id.
   * @throws TypeError when `keys` does not return a list with at least one key; the error that `keys` throws; Error when the key cannot
   * sign with its algorithm
   */
  async sign({ audience, taskId, generation, body, now }: SignatureInput): Promise<string> {
    const [first] = this.#keys();
    if (first === undefined) throw new TypeError("push.signing.keys must have at least one key");
    // Loaded on first use: most agents sign nothing.
    const { SignJWT } = await import("jose");
    const digest = toHex(runtime.sha256(body));
    const issued = Math.floor(now / 1000);
    return new SignJWT({ taskId, generation, payload_hash: digest, request_body_sha256: digest })
      .setProtectedHeader({ alg: first.alg, kid: first.kid, typ: "JWT" })
      .setIssuer(this.#signing.issuer)
      .setAudience(audience)
      .setIssuedAt(issued)
      .setExpirationTime(issued + LIFETIME)
      .setJti(crypto.randomUUID())
      .sign(first.key);
  }

  /**
   * The public keys, as served at `/.well-known/jwks.json` below the agent's URL.
   * @throws TypeError when `keys` does not return a list; the error that `keys` throws; Error for a key that cannot be exported
   */
  async keySet(): Promise<JSONWebKeySet> {
    const keys = await Promise.all(
      this.#keys().map(async ({ key, kid, alg }) => ({ ...(await publicKey(key)), kid, alg, use: "sig" })),
    );
    return { keys };
  }

  #keys(): readonly PushKey[] {
    const { keys } = this.#signing;
    const given = typeof keys === "function" ? callHook<readonly PushKey[]>({ call: keys }, rethrow) : keys;
    if (given instanceof Promise) {
      given.catch(() => undefined);
      throw new TypeError("push.signing.keys must return its keys synchronously, not as a promise");
    }
    if (Array.isArray(given)) return given;
    throw new TypeError("push.signing.keys must be a list of keys, or a function that returns one");
  }
}

function rethrow(error: Error): never {
  throw error;
}

async function publicKey(key: PushKey["key"]): Promise<JWK> {
  const { exportJWK } = await import("jose");
  const members = isJwk(key) ? key : await exportJWK(runtime.publicKeyOf(key));
  return Object.fromEntries(
    Object.entries(members).filter(([member]) => !UNPUBLISHED.includes(member)),
  ) as JWK;
}

function isJwk(key: PushKey["key"]): key is JWK {
  return "kty" in key;
}
