import type { RemoteErrorCode } from "../versions/received-error.js";
import { ClientError, type ClientErrorCode } from "./client-error.js";
import { RemoteError } from "./remote-error.js";

const CONNECTION: readonly ClientErrorCode[] = ["UNREACHABLE", "CONNECTION_LOST", "TIMEOUT"];
const TEMPORARY: readonly RemoteErrorCode[] = ["UNAVAILABLE", "RATE_LIMITED", "DEADLINE_EXCEEDED"];

/** Codes of connection failures in which the request was not sent: what Node and its `fetch` set on the cause. */
const NEVER_SENT: readonly unknown[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/**
 * Maximum seconds that a client waits at an agent's request. A longer `Retry-After` is passed to the caller as
 * `retryAfter`.
 */
const MAX_RETRY_AFTER = 300;

/** Whether a failure may be transient, so that a retry can succeed. */
export function isInterruption(error: unknown): boolean {
  if (error instanceof ClientError) return CONNECTION.includes(error.code);
  if (!(error instanceof RemoteError) || !TEMPORARY.includes(error.code)) return false;
  return askedDelay(error) <= MAX_RETRY_AFTER;
}

/** Whether the agent could not be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ClientError && (error.code === "UNREACHABLE" || error.code === "TIMEOUT");
}

/** Whether a request was certainly not sent, so that even a non-idempotent one can be retried. */
export function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== "UNREACHABLE") return false;
  const { cause } = error;
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  return typeof inner === "object" && inner !== null && "code" in inner && NEVER_SENT.includes(inner.code);
}

/** Seconds that the agent asked to wait; 0 without a request. */
export function askedDelay(error: unknown): number {
  return error instanceof RemoteError ? (error.retryAfter ?? 0) : 0;
}

/** Errors of agents without an operation. */
const ABSENT: readonly RemoteErrorCode[] = ["UNSUPPORTED_OPERATION", "METHOD_NOT_FOUND"];
/** Statuses for an unknown route or method. */
const UNKNOWN_ROUTE: readonly unknown[] = [404, 405, 501];

/**
 * Whether an agent lacks an operation: its card says so, its error says so, or a server that does not speak the
 * protocol has no such route.
 */
export function isAbsent(error: unknown): boolean {
  if (error instanceof ClientError)
    return error.code === "CAPABILITY_MISSING" || UNKNOWN_ROUTE.includes(error.httpStatus);
  if (!(error instanceof RemoteError)) return false;
  const { code, reason, jsonRpcCode, httpStatus } = error;
  const saysNothing = reason === undefined && jsonRpcCode === undefined;
  return ABSENT.includes(code) || (saysNothing && UNKNOWN_ROUTE.includes(httpStatus));
}

/** Whether an agent answered with this error. */
export function isRemote(error: unknown, ...codes: readonly RemoteErrorCode[]): boolean {
  return error instanceof RemoteError && codes.includes(error.code);
}
