import { runtime } from "#runtime";
import { argumentError } from "../protocol/argument.js";

/**
 * Looks up values by secret in constant time: it compares keyed digests, all of them, every time, so that the duration
 * says nothing about how close a guess was.
 */
export class SecretTable<Value> {
  readonly #entries: readonly (readonly [secret: string, value: Value])[];
  #made: DigestTable<Value> | undefined;

  constructor(entries: Iterable<readonly [secret: string, value: Value]>) {
    this.#entries = [...entries];
  }

  /** The value of a secret; undefined for an unknown one. */
  find(secret: string): Value | undefined {
    const { key, rows } = this.#table;
    const digest = runtime.hmacSha256(key, secret);
    let found: Value | undefined;
    for (const row of rows) {
      if (runtime.timingSafeEqual(row.digest, digest)) found = row.value;
    }
    return found;
  }

  /** Made when first needed: some platforms have no random values outside of a request. */
  get #table(): DigestTable<Value> {
    this.#made ??= tableOf(this.#entries);
    return this.#made;
  }
}

/** Values by keyed digests of their secrets. */
interface DigestTable<Value> {
  readonly key: Uint8Array;
  readonly rows: readonly { readonly digest: Uint8Array; readonly value: Value }[];
}

const KEY_BYTES = 32;

function tableOf<Value>(entries: readonly (readonly [secret: string, value: Value])[]): DigestTable<Value> {
  const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return {
    key,
    rows: entries.map(([secret, value]) => ({ digest: runtime.hmacSha256(key, secret), value })),
  };
}

/**
 * Checks that a value is a table of owners. In a string or a list, the indexes would be the secrets, and "0" is easily guessed.
 * @throws TypeError when it is not
 */
export function checkTable(known: unknown): void {
  if (typeof known === "object" && known !== null && !Array.isArray(known)) return;
  throw argumentError(
    'A verifier needs ids by secret, such as apiKeys({ [process.env.ALICE_KEY]: "alice" }), or a function',
    known,
  );
}
