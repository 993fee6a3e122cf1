import { A2AError, knownError, RETRY_SECONDS } from "../protocol/errors.js";
import { DeadlineExceeded } from "./deadlines.js";
import { callHook, type HookCall } from "./hook.js";

/** A hook whose answer decides what a caller may do or see. */
export interface Decision<Result> extends HookCall<Result> {
  /** Path of the option, for logs: `auth.authorize`. */
  readonly name: string;
  /** Logs that the hook did not answer in time. Needed where the answer UNAVAILABLE is not logged otherwise. */
  readonly late?: (error: DeadlineExceeded) => void;
}

/**
 * Calls a hook that decides. When the hook fails, the caller is refused: with the error that the hook threw if that is
 * an `A2AError`, with UNAVAILABLE if the hook did not answer in time, otherwise with INTERNAL_ERROR.
 *
 * @throws A2AError
 */
export function decide<Result>(decision: Decision<Result>): Result | Promise<Result> {
  return callHook(decision, (error) => {
    const known = knownError(error);
    if (known !== undefined) throw known;
    const cause = new Error(`The hook ${decision.name} failed: ${error.message}`, { cause: error });
    if (!(error instanceof DeadlineExceeded)) throw new A2AError("INTERNAL_ERROR", undefined, { cause });
    decision.late?.(error);
    throw new A2AError("UNAVAILABLE", undefined, { retryAfter: RETRY_SECONDS, cause });
  });
}
