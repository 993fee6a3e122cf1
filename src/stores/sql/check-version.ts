/**
 * Checks that this release can use a database, by its version. The message is for operators.
 * @param found the version of the database; 0 if no store has used it yet
 * @param known the version to which this release migrates
 * @param mayMigrate whether the database may be migrated
 * @throws Error for a later version, and for an earlier one if `mayMigrate` is false
 */
export function checkVersion(found: number, known: number, mayMigrate: boolean): void {
  if (found > known) {
    throw new Error(
      `The database is at version ${found}, but this release of a2a-parley knows versions up to ${known}: use the release that wrote it, or a newer one`,
    );
  }
  if (found < known && !mayMigrate) {
    throw new Error(
      `The database is at version ${found} and must be migrated to ${known}: run "parley db migrate", or open it with migrate: true`,
    );
  }
}
