import type { ErrorCode, FieldViolation } from "../protocol/errors.js";
import { errors, type OperationName } from "../protocol/operations.js";

/**
 * Code of an error that came over the wire: one of the protocol's, `BAD_REQUEST` for a refusal that says no more than that
 * (§11.6), `UNKNOWN` for one that the protocol has no word for.
 */
export type RemoteErrorCode = ErrorCode | "BAD_REQUEST" | "UNKNOWN";

/** What an agent said about a failure. */
export interface RemoteFailure {
  readonly code: RemoteErrorCode;
  readonly message: string;
  readonly operation: OperationName;
  /** Status of the HTTP answer; for an error inside a stream the status that it names, if any. */
  readonly httpStatus: number | undefined;
  /** Number of a JSON-RPC error. */
  readonly jsonRpcCode: number | undefined;
  /** `reason` of the ErrorInfo detail, as it came. */
  readonly reason: string | undefined;
  /** All details, as they came. */
  readonly details: readonly unknown[];
  /** Flat facts of the ErrorInfo detail. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Faults in the request, by member. */
  readonly violations: readonly FieldViolation[];
  /** Seconds after which the agent suggests to try again. */
  readonly retryAfter: number | undefined;
}

/**
 * An error that the agent answered with (§3.3.2, §9.5, §11.6). Not an `A2AError`: an agent that calls other agents must
 * decide itself what its own caller learns of their failures, and an executor that lets this one out fails with no text of it.
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
