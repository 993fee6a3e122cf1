import type { Logger } from "../../protocol/logger.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { isRefusal, kindOfFailure } from "../../stores/store-error.js";
import { GenerationConflict } from "../../stores/task-store.js";

/** Why an executor is told to stop when its log cannot be written any more; logs at once what only an operator can change. */
export function stopReason(err: unknown, taskId: string, logger: Logger): string {
  if (!isRefusal(err)) return "The log of the task has another writer";
  // That a store is full passes, and callers can bring it about: it is no fault for an operator to look into.
  const level = kindOfFailure(err) === "full" ? "warn" : "error";
  logger[level]({ err, taskId }, "The store refused an entry of a task, which fails");
  return "The store refused an entry of the task";
}

/** Logs that an execution has ended because of its log. What {@link stopReason} has logged is not logged again. */
export function logLoss(err: unknown, taskId: string, logger: Logger): void {
  if (err instanceof GenerationConflict || err instanceof LeaseConflict)
    logger.info({ taskId }, "Another writer has taken the task over");
  else if (!isRefusal(err)) logger.error({ err, taskId }, "The log of a task could not be written");
}
