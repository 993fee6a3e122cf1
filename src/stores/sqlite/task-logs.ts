import { turns } from "../../async/turns.js";
import type { Task } from "../../protocol/model.js";
import { checkRight } from "../append-right.js";
import type { AppendRight } from "../lease-store.js";
import { checkEntries, prepare } from "../prepare.js";
import type { Checkpoint, CheckpointQueue } from "../sql/checkpoint-queue.js";
import { keyText, nameOfKey } from "../sql/key-text.js";
import {
  entryText,
  hourOf,
  readSnapshot,
  type StatusSummary,
  snapshotText,
  summaryAfter,
} from "../sql/rows.js";
import { CachedTask, type TaskCache } from "../sql/task-cache.js";
import { StoreError } from "../store-error.js";
import { GenerationConflict, keyInScope, type LogEntry, type Scope } from "../task-store.js";
import type { SqliteDatabase } from "./database.js";
import { EntryRows, entryOf, GENERATIONS, type ReadEntries } from "./entry-rows.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import type { LeaseRow, TaskLeases } from "./task-leases.js";
import type { Effects } from "./write-queue.js";

/** An append, prepared before its transaction; `texts` are its entries as JSON. */
export interface Append {
  readonly scope: Scope;
  readonly taskId: string;
  readonly expected: number;
  readonly entries: readonly LogEntry[];
  readonly texts: readonly string[];
  readonly right: AppendRight | undefined;
}

/** A task's row, joined with its lease. */
interface TaskRow extends Partial<LeaseRow> {
  readonly id: number;
  readonly generation: number;
  readonly ended: number | null;
}

/** The number of a task, the generation of its log, and when it ended, in milliseconds since 1970; null while it is open. */
export interface TaskLocation {
  readonly id: number;
  readonly generation: number;
  readonly ended: number | null;
}

/** A task; undefined if there is none. */
export type LoadedTask = CachedTask["snapshot"] | undefined;

const FIND = `SELECT t.id, t.generation, t.ended, l.node, l.token, l.work
  FROM parley_tasks t LEFT JOIN parley_leases l ON l.task = t.id WHERE t.scope = ? AND t.task = ?`;
const LOCATE = "SELECT id, generation, ended FROM parley_tasks WHERE scope = ? AND task = ?";
const CREATE = `INSERT INTO parley_tasks (scope, task, context, generation, state, stamp, written, ended)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
const MOVE = "UPDATE parley_tasks SET generation = ?, written = ? WHERE id = ?";
const CHANGE = `UPDATE parley_tasks SET generation = ?, written = ?, state = ?, stamp = ?, ended = ? WHERE id = ?`;
const ADD = "INSERT INTO parley_entries (place, body) VALUES ((?1 << 28) | ?2, ?3)";
const SNAPSHOT = "SELECT generation, body FROM parley_snapshots WHERE task = ?";
const SIZE = `SELECT coalesce(octet_length(s.body), 0) + coalesce((SELECT sum(octet_length(e.body)) FROM parley_entries e
    WHERE e.place > ((?1 << 28) | coalesce(s.generation, 0)) AND e.place < ((?1 + 1) << 28)), 0) AS bytes
  FROM (SELECT 1) LEFT JOIN parley_snapshots s ON s.task = ?1`;
/** A checkpoint that was made before its transaction may be older than the stored one, and its task may have been deleted. */
const CHECKPOINT = `INSERT INTO parley_snapshots (task, generation, body)
  SELECT id, ?2, ?3 FROM parley_tasks WHERE id = ?1
  ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation`;
const COUNT = `INSERT INTO parley_ends (scope, state, hour, tasks) VALUES (?, ?, ?, 1)
  ON CONFLICT (scope, state, hour) DO UPDATE SET tasks = tasks + 1`;

/** What a {@link TaskLogs} works with. */
export interface TaskLogsDeps {
  readonly database: SqliteDatabase;
  readonly scopes: ScopeNumbers;
  readonly leases: TaskLeases;
  readonly cache: TaskCache;
  readonly checkpoints: CheckpointQueue;
}

/** The logs of tasks, and their folds. */
export class TaskLogs {
  readonly #database: SqliteDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #leases: TaskLeases;
  readonly #cache: TaskCache;
  readonly #checkpoints: CheckpointQueue;
  readonly #entries: EntryRows;

  constructor({ database, scopes, leases, cache, checkpoints }: TaskLogsDeps) {
    this.#database = database;
    this.#scopes = scopes;
    this.#leases = leases;
    this.#cache = cache;
    this.#checkpoints = checkpoints;
    this.#entries = new EntryRows(database);
  }

  /** Appends entries. Part of a write. Throws as `LeaseStore.append`, but errors of SQLite as they are: the write queue converts them. */
  append(append: Append, now: number, effects: Effects): number {
    const { scope, taskId, expected, entries, right } = append;
    const row = this.#database.get<TaskRow>(FIND, this.#scopes.find(scope), keyText(taskId));
    const current = row?.generation ?? 0;
    if (current !== expected || typeof row?.ended === "number")
      throw new GenerationConflict(taskId, expected, current);
    checkEntries(taskId, expected, entries);
    checkRight(taskId, leaseOf(row), right);
    const generation = expected + entries.length;
    if (generation >= GENERATIONS) throw new StoreError("entry", `Task ${taskId} has too many entries`);
    const summary = summaryAfter(entries);
    const id = row?.id ?? (entries.length > 0 ? this.#create(append, summary, now) : undefined);
    if (id === undefined) return expected;
    if (entries.length > 0) this.#write(id, append, now, summary);
    if (summary?.isOver)
      this.#database.run(COUNT, this.#scopes.find(scope), summary.state, hourOf(summary.stamp));
    this.#leases.written(
      { id, scope, taskId, generation, right, isOver: summary?.isOver === true },
      row,
      now,
      effects,
    );
    return generation;
  }

  /** Finds a task in the database, because a cached one may be out of date. */
  locate(scope: Scope, taskId: string): TaskLocation | undefined {
    return this.#database.get<TaskLocation>(LOCATE, this.#scopes.find(scope), keyText(taskId));
  }

  /** Approximate stored size of a task, in bytes. SQLite computes it without reading long bodies. */
  sizeOf(key: string, at: TaskLocation): number {
    return this.#cached(key, at)?.bytes ?? this.#database.get<{ bytes: number }>(SIZE, at.id)?.bytes ?? 0;
  }

  /** The current task; undefined if there is none. Returns a promise only for a large task, see {@link taskAt}. */
  load(scope: Scope, taskId: string): LoadedTask | Promise<LoadedTask> {
    const found = this.locate(scope, taskId);
    return found && this.taskAt(scope, taskId, found);
  }

  /**
   * The task that {@link locate} has found, from the cache or else from the database; undefined if it has been deleted since. A large task is
   * read in a later turn of the event loop if this one has reached its limit. A very large one is returned after the turn that reads it, so
   * that the caller has a full turn.
   */
  taskAt(scope: Scope, taskId: string, at: TaskLocation): LoadedTask | Promise<LoadedTask> {
    const key = keyInScope(scope, taskId);
    const cached = this.#cached(key, at);
    if (cached !== undefined) return cached.snapshot;
    // The size is queried only if it decides whether to wait.
    const turn = turns.isOver ? turns.enter(scope.owner, this.sizeOf(key, at)) : undefined;
    if (turn === undefined) return this.#readTask(scope, taskId, at);
    return turn.then(() => {
      const found = this.locate(scope, taskId);
      return found && this.#readTask(scope, taskId, found);
    });
  }

  /** The fold of a log: the cached task or else the last checkpoint, with the entries after it. */
  fold(key: string, at: TaskLocation): CachedTask {
    const cached = this.#cached(key, at);
    if (cached !== undefined) return cached;
    const { id, generation } = at;
    const known = this.#cache.get(key);
    const isUsable = known?.id === id && this.#catchUp(known, generation);
    const task = isUsable ? known : this.#foldStored(id, generation);
    this.#cache.put(key, task);
    return task;
  }

  /** Entries after a generation; undefined when the next one is no longer available or there is no such task. */
  read(
    { scope, taskId }: Pick<Append, "scope" | "taskId">,
    after: number,
    limit: number,
    maxBytes: number,
  ): ReadEntries | Promise<ReadEntries> {
    const found = this.locate(scope, taskId);
    if (found === undefined) return undefined;
    const first = Math.max(after, 0);
    if (first >= found.generation) return [];
    const known = this.#cached(keyInScope(scope, taskId), found)?.read(first, limit, maxBytes);
    if (known !== undefined) return known.entries;
    const count = Math.min(limit, found.generation - first);
    const { within, bytes } = this.#entries.within(found.id, first, count, maxBytes);
    const turn = turns.isOver ? turns.enter(scope.owner, bytes) : undefined;
    if (turn !== undefined) return turn.then(() => this.#entries.read(found.id, first, within));
    const entries = this.#entries.read(found.id, first, within);
    return turns.worked(bytes)?.then(() => entries) ?? entries;
  }

  #readTask(scope: Scope, taskId: string, at: TaskLocation): LoadedTask | Promise<LoadedTask> {
    const task = this.fold(keyInScope(scope, taskId), at);
    // Another process has compacted or deleted the log since it was located.
    if (task.generation < at.generation) return this.load(scope, taskId);
    // A transaction that runs during the wait, and fails, adds entries to the cached task, but not to its snapshot.
    const { bytes, snapshot } = task;
    return turns.worked(bytes)?.then(() => snapshot) ?? snapshot;
  }

  /** Writes a checkpoint of a task. Part of a write. */
  checkpoint(task: CachedTask): void {
    const { id, snapshot } = task;
    const body = snapshotText(snapshot);
    this.save({ id, generation: snapshot.generation, body });
    task.checkpointed(body.length);
  }

  /** Writes a checkpoint, unless the task was deleted or has a checkpoint that is at least as new. Part of a write. */
  save({ id, generation, body }: Omit<Checkpoint, "owner">): void {
    this.#database.run(CHECKPOINT, id, generation, body);
  }

  #create(
    { scope, taskId, entries, texts }: Append,
    summary: StatusSummary | undefined,
    now: number,
  ): number {
    const { contextId = "" } = (entries[0]?.event.task ?? {}) as Partial<Task>;
    const { state = "", stamp = "", isOver = false } = summary ?? {};
    const id = this.#database.insert(
      CREATE,
      ...[this.#scopes.make(scope), keyText(taskId), keyText(contextId)],
      ...[texts.length, state, stamp, now, isOver ? now : null],
    );
    this.#cache.put(keyInScope(scope, taskId), new CachedTask(id));
    return id;
  }

  #write(
    id: number,
    { scope, taskId, expected, entries, texts }: Append,
    now: number,
    summary?: StatusSummary,
  ): void {
    const generation = expected + entries.length;
    if (expected > 0 && summary !== undefined) {
      const { state, stamp, isOver } = summary;
      this.#database.run(CHANGE, generation, now, state, stamp, isOver ? now : null, id);
    } else if (expected > 0) this.#database.run(MOVE, generation, now, id);
    for (const [index, text] of texts.entries()) this.#database.run(ADD, id, expected + index + 1, text);
    const key = keyInScope(scope, taskId);
    const cached = this.#cache.get(key);
    if (cached?.id !== id || cached.generation !== expected) return;
    cached.apply(
      prepare(entries, expected),
      texts.map(({ length }) => length),
    );
    if (summary?.isOver || cached.isCheckpointDue(0)) {
      if (this.#checkpoints.takes(cached.bytes)) this.#checkpoints.add(key, scope.owner);
      else this.checkpoint(cached);
    }
    this.#cache.put(key, cached);
  }

  /** The cached task; undefined when it is not cached, or cached at another generation. */
  #cached(key: string, { id, generation }: TaskLocation): CachedTask | undefined {
    const known = this.#cache.get(key);
    return known?.id === id && known.generation === generation ? known : undefined;
  }

  /** Applies the stored entries that a fold lacks; returns false when they were deleted. */
  #catchUp(task: CachedTask, generation: number): boolean {
    const rows = this.#entries.rows(task.id, task.generation, generation - task.generation);
    task.apply(
      rows.map(entryOf),
      rows.map(({ body }) => body.length),
    );
    return task.generation === generation;
  }

  #foldStored(id: number, generation: number): CachedTask {
    const row = this.#database.get<{ generation: number; body: string }>(SNAPSHOT, id);
    const from = row && {
      snapshot: readSnapshot(row.body, row.generation),
      bytes: row.body.length,
    };
    const task = new CachedTask(id, from);
    this.#catchUp(task, generation);
    return task;
  }
}

function leaseOf(row: TaskRow | undefined): LeaseRow | undefined {
  const { node, token, work } = row ?? {};
  // The left join has null columns where there is no lease.
  return typeof node === "string"
    ? { node: nameOfKey(node), token: nameOfKey(token as string), work: work as number }
    : undefined;
}

/** Writes the entries of an append as JSON. @throws StoreError of kind `entry`, as {@link entryText} */
export function appendOf(
  task: { readonly scope: Scope; readonly taskId: string },
  expected: number,
  entries: readonly LogEntry[],
  right: AppendRight | undefined,
): Append {
  return { ...task, expected, entries, texts: entries.map(entryText), right };
}
