/** What a migration did: from which version to which. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** What comes before the address of a database, and what brings one to this version. */
const kinds: Readonly<Record<string, (url: string) => Promise<Migrated>>> = {
  async "sqlite:"(url) {
    const { SqliteDatabase } = await import("./sqlite/database.js");
    const { checkFile } = await import("./sqlite/options.js");
    const file = url.slice("sqlite:".length);
    checkFile(file);
    const database = new SqliteDatabase({ file, synchronous: "full", migrate: true });
    database.close();
    return database.migrated;
  },
  async "postgres:"(url) {
    const { PostgresDatabase } = await import("./postgres/database.js");
    const database = new PostgresDatabase({ url, connections: 1 });
    try {
      return await database.migrate(true);
    } finally {
      await database.close();
    }
  },
};

/** Whether an address is one of a database that can be migrated. */
export function isDatabaseUrl(url: string): boolean {
  return migrationOf(url) !== undefined;
}

/**
 * Brings a database to the version that this release works with.
 * @param url `sqlite:<file>` or `postgres://user:password@host:port/database`
 * @throws TypeError for another kind of address
 * @throws Error when the package that it needs is not installed, the database cannot be used, or is of a later version
 */
export async function migrateDatabase(url: string): Promise<Migrated> {
  const migrate = migrationOf(url);
  if (migrate === undefined) throw new TypeError("An address of a database begins with sqlite: or postgres:");
  return migrate(url);
}

function migrationOf(url: string) {
  return Object.entries(kinds).find(([kind]) =>
    url.replace(/^postgresql:/, "postgres:").startsWith(kind),
  )?.[1];
}
