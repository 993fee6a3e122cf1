import { StoreError, type StoreErrorKind } from "../store-error.js";

/**
 * Prefixes of codes of the operating system and of PostgreSQL for a server that is unavailable, has ended the session, or has become
 * read-only (25006).
 */
const CODES =
  /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|08|25006|25P03|57P0[1-5]|53300)/;
/**
 * Beginnings of the driver's own messages for a connection that is lost, does not respond, or does not become free in time. These errors
 * have no code.
 */
const MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error))/;

/** Codes for a conflict with another transaction. The statement can be repeated. */
const COLLISIONS = /^(40001|40P01)$/;

/**
 * Whether a statement failed because it got no connection or lost it, or because the server cannot be used. It may have been carried out
 * nevertheless.
 */
export function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A missing socket is a fault of the connection; a missing file, such as a certificate, is not.
  const isFile = "syscall" in error && error.syscall === "open";
  return (CODES.test(codeOf(error)) && !isFile) || MESSAGES.test(error.message);
}

/** Whether a statement was rolled back because of another transaction, so that it can be repeated. */
export function isCollision(error: unknown): boolean {
  return error instanceof Error && COLLISIONS.test(codeOf(error));
}

/**
 * The error for a server that cannot be used when a store is opened. It names the host and the reasons, because the driver's own error can
 * have an empty message, for example when the name of the host has several addresses. Other errors are returned unchanged.
 */
export function openFault(error: unknown, url: string): unknown {
  if (!(error instanceof Error) || !isConnectionFault(error)) return error;
  const reasons =
    error instanceof AggregateError ? error.errors.map(({ message }) => message) : [error.message];
  const message = `PostgreSQL${placeOf(url)} cannot be used (${reasons.join(", ")}): check that it is running and that the URL is correct`;
  return Object.assign(new Error(message, { cause: error }), { code: codeOf(error) });
}

/** The host of a URL, or the folder of its Unix socket, as a part of a sentence; empty if there is none or `URL` refuses the URL. */
function placeOf(url: string): string {
  try {
    const { host, searchParams } = new URL(url);
    const place = searchParams.get("host") || decodeURIComponent(host);
    return place === "" ? "" : ` at ${place}`;
  } catch {
    // The driver accepts some URLs that `URL` refuses, and the error of `URL` contains the password.
    return "";
  }
}

/** Prefixes of SQLSTATEs that concern the written data: data exceptions, constraint violations, exceeded limits of the server. */
const ENTRY = /^(22|23|54)/;

/**
 * Prefixes of SQLSTATEs of errors that usually persist until an operator acts: unsupported features, refused logins, missing databases,
 * schemas or tables, missing permissions, corrupted data.
 */
const PERMANENT = /^(0A|28|3D|3F|42|XX001|XX002)/;

/** The form of an SQLSTATE. Most codes of the operating system have another one. */
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Converts the error of an append to a StoreError if it has an SQLSTATE or is a fault of the connection ({@link isConnectionFault}). Any
 * other error, such as a GenerationConflict, is returned unchanged.
 */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  const code = codeOf(error);
  if (!isConnectionFault(error) && !SQLSTATE.test(code)) return error;
  return new StoreError(kindOf(code), `An append to PostgreSQL failed: ${error.message}`, { cause: error });
}

function kindOf(code: string): StoreErrorKind {
  if (ENTRY.test(code)) return "entry";
  return PERMANENT.test(code) ? "permanent" : "transient";
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
