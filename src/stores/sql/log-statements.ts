import type { PreparedAppend } from "./prepared-append.js";

/** A row of a task, of its checkpoint, or of one of its entries. */
export interface LoadedRow {
  readonly kind: "task" | "checkpoint" | "entry";
  readonly id?: number;
  readonly generation: number;
  /** JSON of the checkpoint or entry; not used for a task. */
  readonly body: string;
  /** For a task: bytes that have to be loaded. */
  readonly bytes?: number;
}

/** The statements about logs. */
export interface LogStatements {
  /**
   * Loads the task with the scope number `$1` and the id `$2`, encoded by `keyText`, with its checkpoint and the entries after it, as
   * {@link LoadedRow}s. `$3` is the number of the cached task, or 0, and `$4` its generation: if it is this task, only later entries are
   * loaded. If checkpoint and entries have more than `$5` bytes together, only the row of the task is returned.
   */
  readonly load: string;
  /**
   * Reads at most `$4` entries of the task with the scope number `$1` and the encoded id `$2` after generation `$3`, and stops before the
   * entry that would exceed `$5` bytes. `$6` of these bytes are already used; if none are, the first entry is returned whatever its size.
   * Each row has `id` and `last`, the number and the generation of the task. If there is a task but no entry to return, there is one row,
   * whose `generation` is null.
   */
  readonly read: string;
  /** Writes a checkpoint of the task with the number `$1`: the generation `$2` and the body `$3`. Keeps a newer one. */
  readonly checkpoint: string;
}

/** Sends appends to a database. */
export interface AppendSender {
  /**
   * Resolves with the number of the task once the append is committed.
   * @throws GenerationConflict, LeaseConflict; other errors as `Backend.storeError` returns them
   */
  add(append: PreparedAppend): Promise<number>;

  /**
   * Checks an append without entries, as `AppendOutcome.check`.
   * @throws GenerationConflict, LeaseConflict; the error of the database, or of the connection to it
   */
  check(append: PreparedAppend): Promise<void>;
}
