import { sqliteDriver } from "../sql/drivers.js";
import { StoreError, type StoreErrorKind } from "../store-error.js";

type Driver = ReturnType<typeof sqliteDriver>;

/** Result codes of SQLite (prefixes of the extended codes) that concern the written data. */
const ENTRY = /^SQLITE_(TOOBIG|CONSTRAINT|MISMATCH|RANGE)/;

/** Result codes of errors that usually persist until an operator acts. */
const PERMANENT = /^SQLITE_(READONLY|CORRUPT|NOTADB|PERM|AUTH|CANTOPEN|ERROR|MISUSE|FORMAT)/;

/** Whether an operation failed because another connection had locked the file, so that it can be repeated. */
export function isBusy(error: unknown): boolean {
  return isDatabaseFault(error) && error.code.startsWith("SQLITE_BUSY");
}

/** Whether an operation failed because the file is not an SQLite database. */
export function isNotDatabase(error: unknown): boolean {
  return isDatabaseFault(error) && error.code === "SQLITE_NOTADB";
}

/** Whether an error is that of a statement. The driver's constructor, and a closed database, throw errors of other classes. */
export function isDatabaseFault(error: unknown): error is InstanceType<Driver["SqliteError"]> {
  return error instanceof sqliteDriver().SqliteError;
}

/** Converts the error of a statement to a StoreError; returns any other error unchanged. */
export function storeError(error: unknown): unknown {
  if (!isDatabaseFault(error)) return error;
  const { code, message } = error;
  return new StoreError(kindOf(code), `SQLite refused a write: ${message} (${code})`, { cause: error });
}

function kindOf(code: string): StoreErrorKind {
  if (ENTRY.test(code)) return "entry";
  return PERMANENT.test(code) ? "permanent" : "transient";
}
