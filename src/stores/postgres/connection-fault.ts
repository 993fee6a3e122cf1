/** Codes of the machine and of PostgreSQL for: there is no server right now, or it has gone. */
const CODES =
  /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|08|57P0[1-5]|53300)/;
const MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client was closed)/;

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

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}
