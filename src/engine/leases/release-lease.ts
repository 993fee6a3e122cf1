import type { Logger } from "../../protocol/logger.js";
import type { Inbox, QueuedMessage } from "../execution/inbox.js";
import type { LogWriter } from "../execution/log-writer.js";
import type { ExecutionLease } from "./execution-lease.js";

/** What an execution has that would end. */
export interface Ending {
  readonly writer: LogWriter;
  readonly inbox: Inbox;
  readonly logger: Logger;
  /** The process is stopping, and leaves its leases to others. */
  isStopped(): boolean;
}

/**
 * Gives a lease back when nothing is left to do, which is not so when a message has come meanwhile, here or through the log.
 * @returns that message
 * @throws LeaseConflict when somebody else has the task
 */
export async function releaseLease(
  tenure: ExecutionLease,
  ending: Ending,
): Promise<QueuedMessage | undefined> {
  const { writer, inbox, logger } = ending;
  while (tenure.held && !ending.isStopped()) {
    const { reached } = writer;
    let isSettled: boolean | undefined;
    try {
      isSettled = await tenure.settle(reached);
    } catch (err) {
      logger.error({ err, taskId: tenure.taskId }, "A lease could not be given back");
    }
    if (isSettled) return undefined;
    await writer.lookNow();
    // Whoever takes a message in here has it in the log before the executor acts on it.
    await writer.settled();
    const arrival = inbox.take();
    if (arrival !== undefined) return arrival;
    // Nothing has come, and still there was no lease to be given back.
    if (isSettled === false && writer.reached === reached) writer.gone();
  }
  return undefined;
}
