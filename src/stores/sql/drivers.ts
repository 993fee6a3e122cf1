import { createRequire } from "node:module";
import type Libsql from "libsql";
import type pg from "pg";
import { missingPackage } from "../../async/optional-package.js";

/**
 * The driver of SQLite. It is loaded when a file is opened, so that a program without the driver can import the store. It is loaded
 * synchronously, because the constructor of the store is synchronous.
 * @param require loads a package
 * @throws Error that says what to install, if the package is missing; any other error of loading it
 */
export function sqliteDriver(require = createRequire(import.meta.url)): typeof Libsql {
  try {
    return require("libsql");
  } catch (error) {
    throw missingPackage(error, "libsql", "SqliteStore");
  }
}

/**
 * The driver of PostgreSQL, loaded when a database is opened. It is imported rather than required, so that bundlers include it.
 * @param load loads the package
 * @throws Error that says what to install, if the package is missing; any other error of loading it
 */
export async function postgresDriver(
  load: () => Promise<{ default: typeof pg }> = () => import("pg"),
): Promise<typeof pg> {
  try {
    return (await load()).default;
  } catch (error) {
    throw missingPackage(error, "pg", "PostgresStore");
  }
}
