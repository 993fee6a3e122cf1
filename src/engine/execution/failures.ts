import { UpdateRefused } from "../../agent/update-refused.js";
import { failed, rejected, type StatusUpdate } from "../../agent/updates.js";
import { A2AError, knownError } from "../../protocol/errors.js";
import type { Logger } from "../../protocol/logger.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { isRefusal, kindOfFailure } from "../../stores/store-error.js";
import { GenerationConflict } from "../../stores/task-store.js";

/** The status message of a task that fails because of an error that is not meant for the caller. */
const INTERNAL = "The agent failed because of an internal error.";

/**
 * The error to return to the caller if the executor threw before its first update of the task. A refused update becomes
 * INVALID_AGENT_RESPONSE. Never throws, whatever the value.
 * @returns undefined if the error is not meant for the caller
 */
export function publicError(thrown: unknown): A2AError | undefined {
  try {
    return knownError(thrown instanceof UpdateRefused ? thrown.answer() : thrown);
  } catch {
    // A proxy that throws on access.
    return undefined;
  }
}

/**
 * The status update that ends a task after an error: REJECTED if the error refuses the request (its HTTP status is below 500),
 * else FAILED.
 * @param error the caller sees its message; undefined for an error that is not meant for the caller
 */
export function taskEnd(error: A2AError | undefined): StatusUpdate {
  if (error === undefined) return failed(INTERNAL);
  return error.httpStatus < 500 ? rejected(error.message) : failed(error.message);
}

/**
 * The reason with which the executor's signal aborts when the log can no longer be written. Also logs the error if {@link isRefusal}
 * recognizes it: at level `warn` if the store is full, otherwise at level `error`.
 */
export function stopReason(err: unknown, taskId: string, logger: Logger): string {
  if (isConflict(err)) return "The execution lost the right to write the log of the task";
  if (!isRefusal(err)) return "The log of the task could not be written";
  // A full store needs no operator: callers fill it, and there is room again once some of their tasks have ended.
  const level = kindOfFailure(err) === "full" ? "warn" : "error";
  logger[level]({ err, taskId }, "The store refused an entry of a task");
  return "The store refused an entry of the task";
}

/** Logs that an execution ended because it can no longer write its log, unless {@link stopReason} has logged the error. */
export function logLoss(err: unknown, taskId: string, logger: Logger): void {
  if (isConflict(err)) logger.info({ taskId }, "An execution lost the right to write the log of its task");
  else if (!isRefusal(err)) logger.error({ err, taskId }, "The log of a task could not be written");
}

/** Whether an error says that another writer was first, or that the execution has no lease. */
export function isConflict(err: unknown): boolean {
  return err instanceof GenerationConflict || err instanceof LeaseConflict;
}

/** A reason with which the executor's signal aborts: the task was canceled. */
export const CANCELED = "The task was canceled";
/** A reason with which the executor's signal aborts: the task has ended in another way. */
export const ENDED = "The task has ended";

/** Tells the caller that the executor exceeded its time limit. */
export const TOO_LONG = "The agent did not finish within its time limit.";

/** The error for a message that the agent refuses because its executor is still working on an earlier one. */
export function busy(): A2AError {
  return new A2AError("UNSUPPORTED_OPERATION", "The task is being worked on and accepts no messages now");
}
