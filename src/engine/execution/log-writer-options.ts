import type { Clock } from "../../async/clock.js";
import type { LogEntry, StoredEntry } from "../../stores/task-store.js";
import type { ExecutionLease } from "../leases/execution-lease.js";
import type { TaskLog } from "../task-log.js";

/** What a `LogWriter` works with, and the callbacks of its execution. */
export interface LogWriterOptions {
  readonly log: TaskLog;
  /** The lease under which the log is written. Without a lease, the writer ends when another writer has appended first. */
  readonly lease?: ExecutionLease | undefined;
  readonly clock: Clock;
  /** Called with entries of the writer that are durable; `first` is the generation of the first of them. Must not throw. */
  readonly onStored?: ((entries: readonly LogEntry[], first: number) => void) | undefined;
  /** Called at most once: when the log can no longer be written. */
  readonly onLost: (error: unknown) => void;
  /**
   * Called when the store refuses a write for a task that exists, if the lease was granted or, without a lease, if the writer has stored
   * an entry before. Also called when calls to the store have failed for the duration of a lease, although the lease was renewed, and the
   * store does not mark the last error as transient.
   * @returns the entry that ends the task. The writer tries once to append it, and drops all other entries that are not stored
   */
  readonly lastEntry: (error: unknown) => LogEntry;
  /**
   * Called with entries of other writers. While this writer has the lease, they can append messages, or the end of the task.
   * @param pending returns the entries that are not stored; more may be written until it is called
   * @returns the entries to write instead of the pending ones, one for one; undefined if another writer has ended the task
   */
  readonly rebase: (
    added: readonly StoredEntry[],
    pending: () => readonly LogEntry[],
  ) => Promise<readonly LogEntry[] | undefined>;
}
