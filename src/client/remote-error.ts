import type { ErrorCode, FieldViolation } from "../protocol/errors.js";
import { errors, type OperationName } from "../protocol/operations.js";

/**
 * Code of a received error: one of the protocol's, `BAD_REQUEST` for a refusal without a reason (§11.6), or `UNKNOWN`.
 */
export type RemoteErrorCode = ErrorCode | "BAD_REQUEST" | "UNKNOWN";

/** What an agent reported about a failure. */
export interface RemoteFailure {
  readonly code: RemoteErrorCode;
  readonly message: string;
  readonly operation: OperationName;
  /** Status of the HTTP response. For an error inside a stream: the status that it names, if any. */
  readonly httpStatus: number | undefined;
  /** Code of a JSON-RPC error. */
  readonly jsonRpcCode: number | undefined;
  /** `reason` of the ErrorInfo detail, unchanged. */
  readonly reason: string | undefined;
  /** All details, unchanged. */
  readonly details: readonly unknown[];
  /** Metadata of the ErrorInfo detail. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Errors in the request, by member. */
  readonly violations: readonly FieldViolation[];
  /** Seconds after which the agent suggests a retry. */
  readonly retryAfter: number | undefined;
}

/**
 * An error that the agent answered with (§3.3.2, §9.5, §11.6). It is not an `A2AError`: an agent that calls other
 * agents must decide what its own caller learns of their failures. An executor that throws a RemoteError fails without
 * exposing its text.
 *
 * @example
 * ```ts
 * try {
 *   await client.getTask({ id: "t1" });
 * } catch (err) {
 *   if (err instanceof RemoteError && err.code === "TASK_NOT_FOUND") return undefined;
 *   throw err;
 * }
 * ```
 */
export class RemoteError extends Error implements RemoteFailure {
  readonly code: RemoteErrorCode;
  readonly operation: OperationName;
  readonly httpStatus: number | undefined;
  readonly jsonRpcCode: number | undefined;
  readonly reason: string | undefined;
  readonly details: readonly unknown[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly retryAfter: number | undefined;

  constructor(failure: RemoteFailure) {
    super(failure.message);
    const { code } = failure;
    this.name = code === "BAD_REQUEST" || code === "UNKNOWN" ? "RemoteError" : errors[code].name;
    this.code = code;
    this.operation = failure.operation;
    this.httpStatus = failure.httpStatus;
    this.jsonRpcCode = failure.jsonRpcCode;
    this.reason = failure.reason;
    this.details = failure.details;
    this.metadata = failure.metadata;
    this.violations = failure.violations;
    this.retryAfter = failure.retryAfter;
  }
}
