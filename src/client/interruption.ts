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

/** Whether a failure may be gone when the call is made again. */
export function isInterruption(error: unknown): boolean {
  if (error instanceof ClientError) return CONNECTION.includes(error.code);
  return error instanceof RemoteError && TEMPORARY.includes(error.code);
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

/** Whether an agent answered with this error. */
export function isRemote(error: unknown, ...codes: readonly RemoteErrorCode[]): boolean {
  return error instanceof RemoteError && codes.includes(error.code);
}
