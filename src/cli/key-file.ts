import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { JSONWebKeySet } from "jose";
import type { TrustedKey } from "../card/verification-key.js";
import { fileFailure } from "./failure.js";
import type { Io } from "./output.js";

type Jwk = { readonly kid?: string; readonly alg?: string; readonly kty?: string };

/** A private key, with the id and algorithm that its file names. */
export interface PrivateKey {
  readonly key: KeyObject;
  readonly kid: string | undefined;
  /** JWS algorithm; if the file does not name one, the usual one for the kind of key. */
  readonly alg: string;
}

/**
 * Reads a private key: PEM, or a JWK.
 * @throws Failure
 */
export async function readPrivateKey(path: string, io: Io): Promise<PrivateKey> {
  const text = await textOf(path, io);
  try {
    const jwk = jwkIn(text);
    const key = jwk === undefined ? createPrivateKey(text) : createPrivateKey({ key: jwk, format: "jwk" });
    return { key, kid: jwk?.kid, alg: jwk?.alg ?? algorithmOf(key) };
  } catch (error) {
    throw fileFailure(`${path} has no private key (PEM or JWK)`, error);
  }
}

/**
 * Reads public keys for verification: a key set, a JWK, or PEM.
 * @param kid id of a key whose file does not name one
 * @throws Failure
 */
export async function readPublicKeys(path: string, kid: string | undefined, io: Io): Promise<TrustedKey[]> {
  const text = await textOf(path, io);
  try {
    const found = JSON.parse(text.trimStart().startsWith("{") ? text : "null") as
      | (Jwk & { readonly keys?: readonly Jwk[] })
      | null;
    const jwks = found?.keys ?? (found === null ? [] : [found]);
    if (jwks.length === 0) return [{ kid: idOf(kid), key: createPublicKey(text) }];
    return jwks.map((jwk) => ({
      kid: idOf(jwk.kid ?? kid),
      // The platform derives the public key from a private one.
      key: createPublicKey({ key: { ...jwk }, format: "jwk" }),
      ...(jwk.alg !== undefined && { alg: jwk.alg }),
    }));
  } catch (error) {
    throw fileFailure(`${path} has no public keys (PEM, JWK or key set)`, error);
  }
}

/**
 * Reads a JSON Web Key Set.
 * @throws Failure
 */
export async function readKeySet(path: string, io: Io): Promise<JSONWebKeySet> {
  const text = await textOf(path, io);
  try {
    const set = JSON.parse(text) as JSONWebKeySet;
    if (!Array.isArray(set.keys)) throw new Error('it has no "keys"');
    return set;
  } catch (error) {
    throw fileFailure(`${path} is not a key set`, error);
  }
}

async function textOf(path: string, io: Io): Promise<string> {
  return readFile(resolve(io.folder, path), "utf8").catch((cause: unknown) => {
    throw fileFailure(`${path} cannot be read`, cause);
  });
}

function jwkIn(text: string): Jwk | undefined {
  return text.trimStart().startsWith("{") ? (JSON.parse(text) as Jwk) : undefined;
}

function idOf(kid: string | undefined): string {
  if (kid === undefined) throw new Error("the key has no id: specify --kid");
  return kid;
}

const curves: Readonly<Record<string, string>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

const algorithms: Readonly<Record<string, string>> = { rsa: "RS256", ed25519: "EdDSA" };

/** The algorithm of a key whose file does not name one. @throws Error if no algorithm fits */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject): string {
  const type: string = asymmetricKeyType ?? "secret";
  const alg = type === "ec" ? curves[details?.namedCurve ?? ""] : algorithms[type];
  if (alg === undefined) throw new Error(`no JWS algorithm fits a key of type ${type}`);
  return alg;
}
