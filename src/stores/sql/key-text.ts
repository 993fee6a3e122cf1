/**
 * Encodes a name so that a database can store and compare it: valid UTF-8 without NUL, and different for different names. Most names
 * stay as they are. Unpaired surrogates must be encoded because UTF-8 cannot represent them, and NUL because PostgreSQL refuses it and the
 * driver of SQLite ends a text there.
 */
export function keyText(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** The name of a key made by {@link keyText}. */
export function nameOfKey(key: string): string {
  return JSON.parse(`"${key}"`);
}
