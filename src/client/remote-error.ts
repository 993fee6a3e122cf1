import type { FieldViolation } from "../protocol/errors.js";
import type { OperationName } from "../protocol/operations.js";
import type { ReceivedError, RemoteErrorCode, RemoteFailure } from "../versions/received-error.js";

/**
 * An error that the agent has returned, or a proxy in its place (§3.3.2, §9.5, §10.6, §11.6). It is not an `A2AError`, because an agent
 * that calls other agents must decide what to tell its own callers about their failures. If an executor throws a RemoteError, its run fails
 * and callers do not see the message.
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
    this.name = failure.name;
    this.code = failure.code;
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

/** An error in a response, as its binding has read it. {@link remoteError} converts it to a {@link RemoteError}. */
export class ErrorAnswer extends Error {
  readonly error: ReceivedError;

  constructor(error: ReceivedError) {
    super(error.message);
    this.error = error;
  }
}

/** Converts an {@link ErrorAnswer} to a {@link RemoteError}; returns anything else unchanged. Imports the table of codes on first use. */
export async function remoteError(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof ErrorAnswer)) return thrown;
  const { recognizeError } = await import("../versions/received-error.js");
  return new RemoteError(recognizeError(thrown.error));
}
