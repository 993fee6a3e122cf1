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

/** What is wrong with the version of a database, if anything, in words for whoever operates it. */
export function versionFault(found: number, known: number, mayMigrate: boolean): string | undefined {
  if (found > known) {
    return `The database is at version ${found}, and this release of a2a-parley knows versions up to ${known}: use the release that wrote it, or a newer one`;
  }
  if (found < known && !mayMigrate) {
    return `The database is at version ${found} and must be brought to ${known}: run "parley db migrate", or open it with migrate on`;
  }
  return undefined;
}
