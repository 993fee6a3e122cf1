import type { RemoteErrorCode } from "../versions/received-error.js";
import { ClientError, type ClientErrorCode } from "./client-error.js";
import { platformError } from "./exchange.js";
import { RemoteError } from "./remote-error.js";

const CONNECTION: readonly ClientErrorCode[] = ["UNREACHABLE", "CONNECTION_LOST", "TIMEOUT"];
const TEMPORARY: readonly RemoteErrorCode[] = ["UNAVAILABLE", "RATE_LIMITED", "DEADLINE_EXCEEDED"];

/**
 * Codes of connection failures before a request is sent. Some also occur on an open connection, whose host has become unreachable: the
 * `syscall` of the error is then `read` or `write`.
 */
const NEVER_SENT: readonly unknown[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/**
 * Maximum seconds of a `Retry-After` for which the client waits. A call with a longer one fails, and the caller finds the time in
 * `retryAfter` of the error.
 */
const MAX_RETRY_AFTER = 300;

/** Whether a failure may be transient, so that a retry can succeed. False if the agent asks for a wait above {@link MAX_RETRY_AFTER}. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ClientError) return CONNECTION.includes(error.code);
  return isRemote(error, ...TEMPORARY) && requestedDelay(error) <= MAX_RETRY_AFTER;
}

/** Whether the agent, or an OAuth issuer, could not be reached or did not answer in time. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ClientError && (error.code === "UNREACHABLE" || error.code === "TIMEOUT");
}

/** Whether the agent has refused a call as unauthenticated, or the client has no credentials that it can send. */
export function lacksCredentials(error: unknown): boolean {
  return (
    isRemote(error, "UNAUTHENTICATED") ||
    (error instanceof ClientError && error.code === "CREDENTIALS_MISSING")
  );
}

/** Whether a request was certainly not sent, so that even a non-idempotent one can be retried. */
export function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== "UNREACHABLE") return false;
  const { code, syscall } = platformError(error.cause);
  return NEVER_SENT.includes(code) && syscall !== "read" && syscall !== "write";
}

/** Seconds that the agent asked the client to wait; 0 if it did not. */
export function requestedDelay(error: unknown): number {
  return error instanceof RemoteError ? (error.retryAfter ?? 0) : 0;
}

/** Error codes for an operation that the agent does not have, or refuses for this task (§3.1.6). */
const ABSENT: readonly RemoteErrorCode[] = ["UNSUPPORTED_OPERATION", "METHOD_NOT_FOUND"];
/** Statuses for an unknown route or method. */
const UNKNOWN_ROUTE: readonly (number | undefined)[] = [404, 405, 501];

/** Whether an HTTP status means that a server does not have the requested route or method. */
export function isUnknownRoute(status: number | undefined): boolean {
  return UNKNOWN_ROUTE.includes(status);
}

/**
 * Whether an agent does not have an operation, according to its card, its protocol version, its error, or a status in
 * {@link UNKNOWN_ROUTE} that comes with neither a reason nor a JSON-RPC code. Also true if the agent refuses the operation for this task
 * with UNSUPPORTED_OPERATION, for example because the task has ended (§3.1.6), and for a request with a tenant in a version that has none.
 */
export function isAbsent(error: unknown): boolean {
  if (error instanceof ClientError) {
    // The error for an issuer's response that is not JSON has a cause, and says nothing about the agent.
    return error.code === "CAPABILITY_MISSING" || (isUnknownRoute(error.httpStatus) && !error.cause);
  }
  if (!(error instanceof RemoteError)) return false;
  const { code, reason, jsonRpcCode, httpStatus } = error;
  if (ABSENT.includes(code)) return true;
  return reason === undefined && jsonRpcCode === undefined && isUnknownRoute(httpStatus);
}

/** Whether an error is a {@link RemoteError} with one of these codes. */
export function isRemote(error: unknown, ...codes: readonly RemoteErrorCode[]): boolean {
  return error instanceof RemoteError && codes.includes(error.code);
}
