/**
 * A name as a database can hold and compare it: valid UTF-8 without NUL, different for different names. Most names stay as they
 * are; a half of a surrogate pair would be replaced on the way to UTF-8, so that two names became one, and NUL ends a text.
 */
export function keyText(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** The name that a key stands for. */
export function nameOfKey(key: string): string {
  return JSON.parse(`"${key}"`);
}
