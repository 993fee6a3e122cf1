import Libsql from "libsql";
import { StoreError, type StoreErrorKind } from "../store-error.js";

/** Result codes of SQLite, the beginnings of their extended codes, that are about what is written. */
const ENTRY = /^SQLITE_(TOOBIG|CONSTRAINT|MISMATCH|RANGE)/;

/** Those that stay until an operator has changed something: the file, its rights, its tables. */
const PERMANENT = /^SQLITE_(READONLY|CORRUPT|NOTADB|PERM|AUTH|CANTOPEN|ERROR|MISUSE|FORMAT)/;

/** Whether something failed only because another connection was writing. */
export function isBusy(error: unknown): boolean {
  return error instanceof Libsql.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

/** Whether it was the database that failed, and not what was asked of it. */
export function isDatabaseFault(error: unknown): boolean {
  return error instanceof Libsql.SqliteError;
}

/** An error of SQLite as the store's contract has it; any other error as it is. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Libsql.SqliteError)) return error;
  const { code, message } = error;
  return new StoreError(kindOf(code), `SQLite refused a write: ${message} (${code})`, { cause: error });
}

function kindOf(code: string): StoreErrorKind {
  if (ENTRY.test(code)) return "entry";
  return PERMANENT.test(code) ? "permanent" : "transient";
}
