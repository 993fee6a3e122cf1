import { StoreError, type StoreErrorKind } from "../store-error.js";

/**
 * Codes of the machine and of PostgreSQL for: there is no server right now, or it has gone, or has become one that only reads (25006).
 */
const CODES =
  /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|08|25006|25P03|57P0[1-5]|53300)/;
const MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error))/;

/** Codes for: another transaction was in the way, do it again. */
const COLLISIONS = /^(40001|40P01)$/;

/** Whether a statement failed because there is no connection to a server: whether it was carried out is not known then. */
export function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return CODES.test(codeOf(error)) || MESSAGES.test(error.message);
}

/** Whether a statement was undone because of another one, and would succeed if it were given again. */
export function isCollision(error: unknown): boolean {
  return error instanceof Error && COLLISIONS.test(codeOf(error));
}

/** SQLSTATEs, the beginnings of them, that are about what is written: data exceptions, broken constraints, limits of the server. */
const ENTRY = /^(22|23|54)/;

/** Those that stay until an operator has changed something: authorisation, names, rights, damaged data. */
const PERMANENT = /^(0A|28|3D|3F|42|XX001|XX002)/;

/** Any SQLSTATE; other codes are those of the machine. */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * An error of an append as the store's contract has it. One that PostgreSQL did not send is left as it is: what it means is not
 * known.
 */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const code = codeOf(error);
  if (!isConnectionFault(error) && !SQLSTATE.test(code)) return error;
  return new StoreError(kindOf(code), `PostgreSQL refused an append: ${error.message}`, { cause: error });
}

function kindOf(code: string): StoreErrorKind {
  if (ENTRY.test(code)) return "entry";
  return PERMANENT.test(code) ? "permanent" : "transient";
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/**
 * The time as a statement sees it: what is handed in with a parameter, or the clock of the server. Milliseconds since 1970. A
 * subquery, because PostgreSQL evaluates it once for the statement, and can look it up in an index.
 */
export function timeIn(parameter: `$${number}`): string {
  return `(SELECT coalesce(${parameter}::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))`;
}
