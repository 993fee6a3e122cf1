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
