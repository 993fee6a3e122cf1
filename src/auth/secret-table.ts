import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Looks up values by secret in constant time: it compares keyed digests, all of them, every time, so that the duration
 * says nothing about how close a guess was.
 */
export class SecretTable<Value> {
  readonly #key = randomBytes(32);
  readonly #rows: readonly { readonly digest: Buffer; readonly value: Value }[];

  constructor(entries: Iterable<readonly [secret: string, value: Value]>) {
    this.#rows = Array.from(entries, ([secret, value]) => ({ digest: this.#digest(secret), value }));
  }

  find(secret: string): Value | undefined {
    const digest = this.#digest(secret);
    let found: Value | undefined;
    for (const row of this.#rows) {
      if (timingSafeEqual(row.digest, digest)) found = row.value;
    }
    return found;
  }

  #digest(secret: string): Buffer {
    return createHmac("sha256", this.#key).update(secret).digest();
  }
}
