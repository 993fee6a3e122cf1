import { answerTo } from "../../agent/update-refused.js";
import { failed, rejected, type StatusUpdate } from "../../agent/updates.js";
import type { A2AError } from "../../protocol/errors.js";

/** What the caller is told of an error that is not meant for it. */
const INTERNAL = "The agent could not do this because of an internal error.";

/**
 * What an executor threw before its first update, as an error for the caller; undefined when it is not meant for the caller.
 * A refused update is INVALID_AGENT_RESPONSE. Never throws, whatever was thrown.
 */
export function publicError(thrown: unknown): A2AError | undefined {
  const error = answerTo(thrown);
  return error.cause === thrown && error.code === "INTERNAL_ERROR" ? undefined : error;
}

/**
 * How an error ends a task: REJECTED when it refuses the request, which its HTTP status below 500 tells, else FAILED.
 * @param error whose message the caller is shown; undefined for one that is not meant for the caller
 */
export function taskEnd(error: A2AError | undefined): StatusUpdate {
  if (error === undefined) return failed(INTERNAL);
  return error.httpStatus < 500 ? rejected(error.message) : failed(error.message);
}
