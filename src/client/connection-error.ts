import { ClientError, type ClientErrorCode } from "./client-error.js";
import { RemoteError, type RemoteErrorCode } from "./remote-error.js";

const CONNECTION: readonly ClientErrorCode[] = ["UNREACHABLE", "CONNECTION_LOST", "TIMEOUT"];
const TEMPORARY: readonly RemoteErrorCode[] = ["UNAVAILABLE", "RATE_LIMITED", "DEADLINE_EXCEEDED"];

/** Codes of a failure to connect: the request cannot have left. What Node and its `fetch` put on the cause. */
const NEVER_SENT: readonly unknown[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

/** Seconds that a client waits at an agent's request. An error that asks for more goes to the caller, who reads `retryAfter`. */
const LONGEST_ASKED = 300;

/** Whether a failure may be gone when the call is made again soon. */
export function isInterruption(error: unknown): boolean {
  if (error instanceof ClientError) return CONNECTION.includes(error.code);
  if (!(error instanceof RemoteError) || !TEMPORARY.includes(error.code)) return false;
  return askedDelay(error) <= LONGEST_ASKED;
}

/** Whether nothing was there at the other end. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ClientError && (error.code === "UNREACHABLE" || error.code === "TIMEOUT");
}

/** Whether a request provably never left, so that even what must not happen twice can be sent again. */
export function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.code !== "UNREACHABLE") return false;
  const { cause } = error;
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  return typeof inner === "object" && inner !== null && "code" in inner && NEVER_SENT.includes(inner.code);
}

/** Seconds that the agent asked to wait; 0 when it did not. */
export function askedDelay(error: unknown): number {
  return error instanceof RemoteError ? (error.retryAfter ?? 0) : 0;
}

/** Errors of agents that do not have an operation. */
const ABSENT: readonly RemoteErrorCode[] = ["UNSUPPORTED_OPERATION", "METHOD_NOT_FOUND"];
/** Statuses of servers that do not know a route or its verb. */
const UNKNOWN_ROUTE: readonly unknown[] = [404, 405, 501];

/**
 * Whether an agent does not have an operation: its card says so, its error does, or a server without a word of the protocol
 * answers that there is no such route.
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
