import { StoreError, type StoreErrorKind } from "../store-error.js";

/** Codes of errors that concern the written data. The server sends `ARGS_INVALID` for a text beyond its limit. */
const ENTRY = /^(SQLITE_(TOOBIG|CONSTRAINT|MISMATCH|RANGE)|ARGS_INVALID)/;

/** Codes of errors that persist until an operator acts. `BLOCKED` is sent, for example, for an account beyond its quota. */
const PERMANENT =
  /^(SQLITE_(READONLY|CORRUPT|NOTADB|PERM|AUTH|CANTOPEN|ERROR|MISUSE|FORMAT|UNKNOWN)|SQL_PARSE_ERROR|BLOCKED|NAMESPACE_|PROTOCOL_VERSION|HRANA_PROTO)/;

/** Codes of failures of the server or the connection that may pass. The driver sets `UNKNOWN` for an error without a code. */
const UNAVAILABLE =
  /^(HRANA_CLOSED_ERROR|STREAM_EXPIRED|TXN_TIMEOUT|TRANSACTION_TIMEOUT|INTERNAL_ERROR|UNKNOWN|SQLITE_(IOERR|FULL|INTERRUPT|NOMEM))/;

/** Codes for a conflict with another writer. The transaction was rolled back, and can be repeated. */
const COLLISION = /^SQLITE_(BUSY|LOCKED)/;

/** HTTP statuses after which a request is not repeated, and the kind of the StoreError of an append. After others, it is repeated. */
const REFUSALS: Readonly<Record<number, StoreErrorKind>> = {
  ...{ 400: "permanent", 401: "permanent", 403: "permanent", 404: "permanent" },
  413: "entry",
};

/** Whether a transaction was rolled back because of another one, so that it can be repeated. */
export function isCollision(error: unknown): boolean {
  return COLLISION.test(codeOf(error));
}

/**
 * The failure of a request without a complete, readable response. The cause can be of any class: without a connection, `fetch` rejects with
 * a TypeError on Node, but with a plain Error on workerd and Bun 1.3.
 */
export class ConnectionFault extends Error {
  override readonly name = "LibsqlConnectionFault";

  constructor(cause: unknown) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const text = reason instanceof Error ? reason.message : String(reason);
    super(`${isUnreadable(cause) ? "unreadable" : "no"} response: ${text}`, { cause });
  }
}

/** A response of the server, or of a gateway, with an HTTP status other than 2xx. Its text is left out: it may repeat the request. */
export class HttpFault extends Error {
  override readonly name = "LibsqlHttpFault";
  readonly status: number;

  constructor(status: number) {
    super(`HTTP status ${status}`);
    this.status = status;
  }
}

/** Whether an error is that of the driver for a response that is not JSON, for example because it was cut off. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && error.name === "SyntaxError";
}

/** Whether a request got no readable response, or the server is unavailable. The server may have carried it out nevertheless. */
export function isConnectionFault(error: unknown): boolean {
  if (error instanceof HttpFault) return REFUSALS[error.status] === undefined;
  return error instanceof ConnectionFault || UNAVAILABLE.test(codeOf(error));
}

/** Whether the rows of a query exceed what the server puts into one response. */
export function isTooLarge(error: unknown): boolean {
  return codeOf(error) === "RESPONSE_TOO_LARGE";
}

/** Whether an error comes from the server, the driver or the connection. */
function isDatabaseFault(error: unknown): error is Error {
  return error instanceof Error && /^Libsql/.test(error.name);
}

/** The error of a migration whose server cannot be used. It names the host. Other errors are returned unchanged. */
export function openFault(error: unknown, url: string): unknown {
  if (!isDatabaseFault(error)) return error;
  return new Error(
    `The libSQL server${placeOf(url)} cannot be used (${error.message}): check that it is running and that its URL and authToken are correct`,
    { cause: error },
  );
}

/** The host and port of a URL as a part of a sentence. The rest of the URL may contain a token. */
function placeOf(url: string): string {
  const [, host] = /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]+)/i.exec(url) ?? [];
  return host === undefined ? "" : ` at ${host}`;
}

/**
 * Converts an error of an append to a StoreError if it comes from the server, or from the connection to it. Any other error, such as a
 * GenerationConflict, is returned unchanged.
 */
export function storeError(error: unknown): unknown {
  if (error instanceof StoreError || !isDatabaseFault(error)) return error;
  return new StoreError(kindOf(error), `An append to libSQL failed: ${error.message}`, { cause: error });
}

function kindOf(error: Error): StoreErrorKind {
  if (error instanceof HttpFault) return REFUSALS[error.status] ?? "transient";
  const code = codeOf(error);
  if (ENTRY.test(code)) return "entry";
  return PERMANENT.test(code) ? "permanent" : "transient";
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
