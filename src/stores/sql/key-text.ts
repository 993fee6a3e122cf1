/**
 * Encodes a name so that a database can store and compare it: valid UTF-8 without NUL, and different for different names. Most names
 * stay as they are. Unpaired surrogates must be encoded because a database would replace them, and NUL because a database would refuse it
 * or end the text there.
 */
export function keyText(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** The name of a key made by {@link keyText}. */
export function nameOfKey(key: string): string {
  return JSON.parse(`"${key}"`);
}

/** Why a database cannot be used at its version, as a message for operators; undefined if it can. */
export function versionFault(found: number, known: number, mayMigrate: boolean): string | undefined {
  if (found > known) {
    return `The database is at version ${found}, but this release of a2a-parley knows versions up to ${known}: use the release that wrote it, or a newer one`;
  }
  if (found < known && !mayMigrate) {
    return `The database is at version ${found} and must be migrated to ${known}: run "parley db migrate", or open it with the option migrate`;
  }
  return undefined;
}
