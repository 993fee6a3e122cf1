/** The version of a database before and after a migration; `from` is 0 if no store has used it yet. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** The migration for each kind of database, by URL prefix. */
const kinds: Readonly<Record<string, (url: string) => Promise<Migrated>>> = {
  async "sqlite:"(url) {
    const { SqliteDatabase } = await import("./sqlite/database.js");
    const { checkSqlite } = await import("./sqlite/options.js");
    const file = url.slice("sqlite:".length);
    checkSqlite({ file });
    const database = new SqliteDatabase({ file, synchronous: "full", migrate: true });
    database.close();
    return database.migrated;
  },
  async "postgres:"(url) {
    const { PostgresDatabase } = await import("./postgres/database.js");
    const { checkPostgres } = await import("./postgres/options.js");
    const { postgresDriver } = await import("./sql/drivers.js");
    checkPostgres({ url });
    const database = new PostgresDatabase({ driver: await postgresDriver(), url, connections: 1 });
    try {
      return await database.migrate(true);
    } finally {
      await database.close();
    }
  },
  async "libsql:"(url) {
    const { LibsqlDatabase } = await import("./libsql/database.js");
    const { libsqlDriver } = await import("./libsql/driver.js");
    const { checkLibsql } = await import("./libsql/options.js");
    checkLibsql({ url });
    const database = new LibsqlDatabase({ driver: await libsqlDriver(), url });
    try {
      return await database.migrate(true);
    } finally {
      await database.close();
    }
  },
};

/** Whether a URL begins as that of a database that can be migrated: with `sqlite:`, `libsql:`, `postgres:` or `postgresql:`. */
export function isDatabaseUrl(url: string): boolean {
  return migrationOf(url) !== undefined;
}

/**
 * Migrates a database to the version of this release.
 * @param url `sqlite:<file>`, `postgres://user:password@host:port/database` or `libsql://host?authToken=...`
 * @returns the version before and after
 * @throws TypeError for another kind of URL, a file that `checkSqlite` refuses, and a URL that `checkPostgres` or `checkLibsql` refuses
 * @throws Error if the URL cannot be parsed, the package of the driver is not installed, or the database or its version cannot be used
 */
export async function migrateDatabase(url: string): Promise<Migrated> {
  const migrate = migrationOf(url);
  if (migrate === undefined)
    throw new TypeError("The URL of a database must begin with sqlite:, postgres:, postgresql: or libsql:");
  return migrate(url);
}

function migrationOf(url: string) {
  return Object.entries(kinds).find(([kind]) =>
    url.replace(/^postgresql:/, "postgres:").startsWith(kind),
  )?.[1];
}
