import { exponentialDelay } from "../../async/backoff.js";
import type { Clock } from "../../async/clock.js";
import type { Logger } from "../../protocol/logger.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import type { Inbox, QueuedMessage } from "../execution/inbox.js";
import type { LogWriter } from "../execution/log-writer.js";
import { RETRY_PAUSES } from "../execution/store-retry.js";
import type { ExecutionLease } from "./execution-lease.js";

/** The parts of an execution that has no work left. */
export interface IdleExecution {
  readonly writer: LogWriter;
  readonly inbox: Inbox;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether the server is stopping. It then releases all its leases on tasks of the agent in one call. */
  isStopped(): boolean;
}

/**
 * Releases the lease of an execution once no work is left. A message that arrives in the meantime, here or through the log, counts as
 * work. If the store fails, the release is retried with backoff while the lease lasts.
 * @returns that message; undefined if the lease was released, if this process has ended the task, or if the server is stopping
 * @throws LeaseConflict if the store no longer has the lease, or another writer has ended the task; the error that ended the writer, if
 * the log can no longer be written
 */
export async function releaseLease(
  lease: ExecutionLease,
  { writer, inbox, logger, clock, isStopped }: IdleExecution,
): Promise<QueuedMessage | undefined> {
  const { taskId } = lease;
  for (let failures = 0; lease.held && !isStopped(); ) {
    const { reached } = writer;
    let isReleased: boolean | undefined;
    try {
      isReleased = await lease.release(reached);
      failures = 0;
    } catch (err) {
      logger.error({ err, taskId }, "A lease could not be released");
      const pause = exponentialDelay(RETRY_PAUSES, failures);
      failures += 1;
      await new Promise<void>((resolve) => clock.schedule(pause, resolve));
    }
    if (isReleased) return undefined;
    await writer.pollNow();
    // A message that was queued here in the meantime must be in the log before the executor acts on it.
    await writer.allDurable();
    const next = inbox.receive();
    if (next !== undefined) return next;
    // The store refused, but the log has no new entry: the lease is lost.
    if (isReleased === false && writer.reached === reached) throw new LeaseConflict(taskId, undefined);
  }
  return undefined;
}
