import { runtime } from "#runtime";

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
 * @throws TypeError for what is not a table of owners. The places of the characters of a string, or of the items of a list, would
 * otherwise be secrets that everyone guesses.
 */
export function checkTable(known: unknown): void {
  if (typeof known === "object" && known !== null && !Array.isArray(known)) return;
  const found = known === undefined ? "undefined" : `a ${Array.isArray(known) ? "list" : typeof known}`;
  throw new TypeError(
    `A verifier needs ids by secret, such as apiKeys({ [process.env.ALICE_KEY]: "alice" }), or a function, not ${found}`,
  );
}
