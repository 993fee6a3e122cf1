import type { LogEntry, StoredEntry } from "../../stores/task-store.js";

/** What a {@link LogWriter} tells the execution whose log it writes, and asks of it. */
export interface LogListener {
  /** The log cannot be written any more; called once, after {@link refused}. */
  failed(error: unknown): void;
  /**
   * The store refuses an entry: for what is in it, for want of room, or as it refuses all.
   * @returns what is written in place of everything that is not stored: the entry that ends the task
   */
  refused(error: unknown): LogEntry;
  /** Entries are durable now; `first` is the generation of the first one. Must not throw. */
  readonly stored?: ((entries: readonly LogEntry[], first: number) => void) | undefined;
  /**
   * Others have added to the log, which they may while a task is held: messages for it, or its end.
   * @param pending what is not in the log yet
   * @returns what is to be written in its place, one for one; undefined when the task has ended
   */
  overtaken(
    entries: readonly StoredEntry[],
    pending: readonly LogEntry[],
  ): Promise<readonly LogEntry[] | undefined>;
}
