import { runtime } from "#runtime";
import { argumentError } from "../protocol/argument.js";
import { type Identity, identityOf } from "./verifier.js";

/**
 * Looks up values by secret in constant time: it compares keyed digests, all of them, every time, so that the duration
 * says nothing about how close a guess was.
 */
class SecretTable<Value> {
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
 * Creates the check of a fixed table. A string or a list is refused: its indexes would be the secrets, and "0" is easily guessed.
 * @param known the table that the application gave
 * @param entryOf secret and owner of an entry; by default its name and its value
 * @throws TypeError when it is not a table, for an empty secret, and for an owner that is not an identity
 */
export function inTable<Entry = Identity | string>(
  known: Readonly<Record<string, Entry>>,
  entryOf: (secret: string, entry: Entry) => readonly [secret: string, owner: Identity | string] = asItIs,
): (secret: string) => Identity | undefined {
  if (typeof known !== "object" || known === null || Array.isArray(known)) {
    throw argumentError(
      'A verifier needs ids by secret, such as apiKeys({ [process.env.ALICE_KEY]: "alice" }), or a function',
      known,
    );
  }
  const table = new SecretTable(
    Object.entries(known).map(([name, entry]) => {
      const [secret, owner] = entryOf(name, entry);
      if (secret === "") throw new TypeError("A secret must not be empty");
      return [secret, identityOf(owner)] as const;
    }),
  );
  return (secret) => table.find(secret);
}

function asItIs<Entry>(secret: string, entry: Entry): readonly [string, Identity | string] {
  return [secret, entry as Identity | string];
}
