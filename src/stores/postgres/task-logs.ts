import { FairSemaphore } from "../../async/fair-semaphore.js";
import { turns } from "../../async/turns.js";
import { valueSize } from "../../json/value-size.js";
import { foldLog } from "../../task-log/fold.js";
import { checkEntries, prepare } from "../prepare.js";
import { CheckpointQueue } from "../sql/checkpoint-queue.js";
import { keyText } from "../sql/key-text.js";
import { readEntry, readSnapshot, snapshotText } from "../sql/rows.js";
import { type CachedEntries, CachedTask, type TaskCache } from "../sql/task-cache.js";
import type { Scope, StoredEntry } from "../task-store.js";
import { AppendOutcome } from "./append-outcome.js";
import { AppendQueue, bytesToSend } from "./append-queue.js";
import type { PostgresDatabase } from "./database.js";
import { type Append, type PreparedAppend, preparedAppend } from "./prepared-append.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import { topicOf } from "./wake-ups.js";

/**
 * `$3` is the number of the cached task, or 0, and `$4` its generation. If more than `$5` bytes would have to be loaded, only their number
 * is returned, in the row of the task.
 */
const LOAD = `WITH t AS MATERIALIZED (SELECT id, generation FROM parley_tasks WHERE scope = $1 AND task = $2),
  s AS MATERIALIZED (SELECT s.generation, s.body::text AS body
    FROM parley_snapshots AS s JOIN t ON s.task = t.id WHERE t.id <> $3),
  e AS MATERIALIZED (SELECT e.generation, e.body::text AS body FROM parley_entries AS e JOIN t ON e.task = t.id
    WHERE e.generation > CASE WHEN t.id = $3 THEN $4 ELSE coalesce((SELECT generation FROM s), 0) END),
  b AS MATERIALIZED (SELECT coalesce((SELECT octet_length(body) FROM s), 0)
    + coalesce((SELECT sum(octet_length(body)) FROM e), 0)::bigint AS bytes)
SELECT 'task' AS kind, id, generation, NULL AS body, bytes FROM t CROSS JOIN b
UNION ALL SELECT 'checkpoint', 0, generation, body, 0 FROM s WHERE (SELECT bytes FROM b) <= $5
UNION ALL SELECT 'entry', 0, generation, body, 0 FROM e WHERE (SELECT bytes FROM b) <= $5`;
/**
 * Reads at most `$4` entries after generation `$3`, and stops before the entry that would exceed `$5` bytes. `$6` of these bytes are
 * already used; if none are, the first entry is returned whatever its size. It proceeds entry by entry, so at most one entry beyond the
 * limit is read.
 */
const READ = `WITH RECURSIVE t AS (SELECT id, generation FROM parley_tasks WHERE scope = $1 AND task = $2),
  e AS ((SELECT f.generation, f.body, 1 AS n, $6::bigint + octet_length(f.body) AS upto FROM t
      CROSS JOIN LATERAL (SELECT generation, body::text AS body FROM parley_entries
        WHERE task = t.id AND generation > $3 AND $4 > 0 ORDER BY generation LIMIT 1) AS f
      WHERE $6 = 0 OR $6 + octet_length(f.body) <= $5)
    UNION ALL SELECT f.generation, f.body, e.n + 1, e.upto + octet_length(f.body) FROM e CROSS JOIN t
      CROSS JOIN LATERAL (SELECT generation, body::text AS body FROM parley_entries
        WHERE task = t.id AND generation = e.generation + 1 AND e.n < $4 AND e.upto < $5 OFFSET 0) AS f
      WHERE e.upto + octet_length(f.body) <= $5)
SELECT t.id, t.generation AS last, e.generation, e.body FROM t LEFT JOIN e ON true ORDER BY e.generation`;
const CHECKPOINT = `INSERT INTO parley_snapshots (task, generation, body) SELECT id, $2::integer, $3::json FROM parley_tasks
  WHERE id = $1 ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation`;

/** A row of a task, of its checkpoint, or of one of its entries. */
export interface LoadedRow {
  readonly kind: "task" | "checkpoint" | "entry";
  readonly id?: number;
  readonly generation: number;
  readonly body: string;
  /** For a task: bytes that have to be loaded. */
  readonly bytes?: number;
}

interface ReadRow {
  readonly id: number;
  readonly last: number;
  readonly generation: number | null;
  readonly body: string;
}

/** Entries of a log; undefined when they were deleted or there is no such task. */
type Read = readonly StoredEntry[] | undefined;

/** The scope and id of a task. */
type ScopedTask = Pick<Append, "scope" | "taskId">;

/** The cached part of a read if the task or its first requested entry is not in the cache. */
const NOTHING: CachedEntries = { entries: [], bytes: 0, isComplete: false };

/** Bytes up to which a task is loaded without waiting for other loads. */
const SMALL = 2 ** 18;
/** Bytes of larger tasks that may be loaded at the same time. A further load waits. */
const MAX_LOADING = 2 ** 24;

/** Number of entries of a read without a limit: the maximum of an integer in PostgreSQL. */
const ALL = 2 ** 31 - 1;

/** The logs of tasks, and their folds. */
export class TaskLogs {
  readonly #database: PostgresDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #cache: TaskCache;
  /** Bytes of large tasks that are being loaded, first come, first served. */
  readonly #loads = new FairSemaphore(MAX_LOADING, 0);
  readonly #appends: AppendQueue;
  readonly #outcome: AppendOutcome;
  /** Pending reads. Readers at the same position share one. */
  readonly #reads = new Map<string, Map<string, Promise<Read>>>();
  readonly #checkpoints: CheckpointQueue;

  constructor(database: PostgresDatabase, scopes: ScopeNumbers, cache: TaskCache) {
    this.#database = database;
    this.#scopes = scopes;
    this.#cache = cache;
    this.#checkpoints = new CheckpointQueue(cache, ({ id, generation, body }) =>
      database.query(CHECKPOINT, [id, generation, body]),
    );
    this.#appends = new AppendQueue(database);
    this.#outcome = new AppendOutcome(database);
  }

  /**
   * Appends entries.
   * @param now time of the append in milliseconds since 1970; null for the clock of the database
   * @returns the prepared append
   * @throws TypeError, GenerationConflict and LeaseConflict as `LeaseStore.append`; StoreError for an entry or a task that cannot be
   * written as JSON; the error of PostgreSQL or of the connection, which may already be a StoreError
   */
  async append(append: Append, now: number | null): Promise<PreparedAppend> {
    const { scope, taskId, expected, entries, right } = append;
    checkEntries(taskId, expected, entries);
    const number = entries.length > 0 ? await this.#scopes.make(scope) : await this.#scopes.find(scope);
    const topic = topicOf(scope, taskId);
    // The entries are measured only if their size decides whether to wait.
    const turn = turns.isOver ? turns.enter(scope.owner, valueSize(entries)) : undefined;
    if (turn !== undefined) await turn;
    const ready = preparedAppend(append, { topic, scope: number, now }, (texts, isOver) =>
      this.#checkpoint(append, texts, isOver),
    );
    const next = turns.worked(bytesToSend(ready));
    if (next !== undefined) await next;
    // An append without entries is only a check if it has no right, or if there is no task that it could lease.
    if (entries.length === 0 && (expected === 0 || right === undefined)) await this.#outcome.explain(ready);
    else this.#appended(append, ready, await this.#appends.add(ready));
    return ready;
  }

  /** The current task; undefined if there is none. */
  async load(scope: Scope, taskId: string): Promise<CachedTask | undefined> {
    const known = this.#cache.get(topicOf(scope, taskId));
    const found = await this.#loadFrom(scope, taskId, known);
    return found === "unknown" ? ((await this.#loadFrom(scope, taskId, undefined)) as CachedTask) : found;
  }

  /**
   * The current task, based on its cached part. The load of a large task may wait for those of other large tasks.
   * @returns as {@link fold}
   */
  async #loadFrom(scope: Scope, taskId: string, known: CachedTask | undefined) {
    const topic = topicOf(scope, taskId);
    const values = [await this.#scopes.find(scope), keyText(taskId), known?.id ?? 0, known?.generation ?? 0];
    const rows = await this.#database.query<LoadedRow>(LOAD, [...values, SMALL]);
    const bytes = rows.find(({ kind }) => kind === "task")?.bytes ?? 0;
    if (bytes <= SMALL) return this.fold(topic, rows, known);
    const release = await this.#loads.acquire("", undefined, bytes);
    try {
      const all = await this.#database.query<LoadedRow>(LOAD, [...values, Number.MAX_SAFE_INTEGER]);
      const turn = this.turnOf(scope.owner, all);
      if (turn !== undefined) await turn;
      const task = this.fold(topic, all, known);
      const next = this.nextTurnOf(all);
      if (next !== undefined) await next;
      return task;
    } finally {
      release?.();
    }
  }

  /** Returns undefined if loaded rows may be parsed now, otherwise a promise that resolves when they may. */
  turnOf(owner: string, rows: readonly LoadedRow[]): Promise<void> | undefined {
    return turns.enter(owner, bytesOf(rows));
  }

  /** Called after rows were parsed. Returns undefined, or, if they are large, a promise to await before the task is used. */
  nextTurnOf(rows: readonly LoadedRow[]): Promise<void> | undefined {
    return turns.worked(bytesOf(rows));
  }

  /**
   * Folds loaded rows into a task.
   * @returns undefined when there is no task; `unknown` when the cached part and the loaded rows lack entries of the log
   */
  fold(
    topic: string,
    rows: readonly LoadedRow[],
    known: CachedTask | undefined,
  ): CachedTask | undefined | "unknown" {
    const row = rows.find(({ kind }) => kind === "task");
    if (row?.id === undefined) return undefined;
    const checkpoint = rows.find(({ kind }) => kind === "checkpoint");
    const task =
      known?.id === row.id
        ? known
        : new CachedTask(
            row.id,
            checkpoint && {
              snapshot: readSnapshot(checkpoint.body, checkpoint.generation),
              bytes: checkpoint.body.length,
            },
          );
    // Another call may have applied some of the entries in the meantime.
    const entries = rows
      .filter(({ kind, generation }) => kind === "entry" && generation > task.generation)
      .sort((one, other) => one.generation - other.generation);
    if (entries.length > 0 && entries[0]?.generation !== task.generation + 1) return "unknown";
    task.apply(
      entries.map(({ body, generation }) => readEntry(body, generation)),
      entries.map(({ body }) => body.length),
    );
    if (task.generation < row.generation) return "unknown";
    this.#cache.put(topic, task);
    return task;
  }

  /** Entries after a generation; undefined when they were deleted or there is no such task. A read of none reads one to know that. */
  read(of: ScopedTask, after: number, limit = ALL, maxBytes = Number.POSITIVE_INFINITY): Promise<Read> {
    if (limit < 1) return this.read(of, after, 1).then((entries) => entries && []);
    const topic = topicOf(of.scope, of.taskId);
    const reads = this.#reads.get(topic) ?? new Map<string, Promise<Read>>();
    this.#reads.set(topic, reads);
    const key = `${after} ${limit} ${maxBytes}`;
    const known = reads.get(key);
    if (known !== undefined) return known;
    const read = this.#read(of, Math.max(after, 0), Math.min(limit, ALL), maxBytes).finally(() => {
      if (reads.get(key) === read) reads.delete(key);
      if (reads.size === 0 && this.#reads.get(topic) === reads) this.#reads.delete(topic);
    });
    reads.set(key, read);
    return read;
  }

  /** Called when a log has grown. Pending reads may be older, so they are no longer shared. */
  grown(topic: string): void {
    this.#reads.delete(topic);
  }

  /** Writes a checkpoint of a task, unless the task is gone or has one that is as new. */
  async checkpoint({ id, snapshot }: CachedTask): Promise<void> {
    await this.#database.query(CHECKPOINT, [id, snapshot.generation, snapshotText(snapshot)]);
  }

  async #read(of: ScopedTask, after: number, limit: number, maxBytes: number): Promise<Read> {
    const { scope, taskId } = of;
    const topic = topicOf(scope, taskId);
    const known = this.#cache.get(topic);
    const { entries: begin, bytes, isComplete } = known?.read(after, limit, maxBytes) ?? NOTHING;
    const from = begin.at(-1)?.generation ?? after;
    const left = isComplete ? 0 : limit - begin.length;
    const most = Math.min(maxBytes, Number.MAX_SAFE_INTEGER);
    const values = [await this.#scopes.find(scope), keyText(taskId), from, left, most, bytes];
    const rows = await this.#database.query<ReadRow>(READ, values);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (known !== undefined && known.id !== row.id) {
      this.#cache.drop(topic);
      return this.#read(of, after, limit, maxBytes);
    }
    const rest = rows.flatMap(({ generation, body }) =>
      generation === null ? [] : readEntry(body, generation),
    );
    const isGone = begin.length + rest.length === 0 && row.last > after;
    if (isGone) return undefined;
    if (known !== undefined && rest[0]?.generation === known.generation + 1) {
      known.apply(
        rest,
        rows.map(({ body }) => body.length),
      );
      this.#cache.put(topic, known);
    }
    return [...begin, ...rest];
  }

  /** The task after an append as JSON, if it is new or cached, and a checkpoint is due that is not left to {@link CheckpointQueue}. */
  #checkpoint({ scope, taskId, expected, entries }: Append, texts: readonly string[], isOver: boolean) {
    if (entries.length === 0) return undefined;
    const known = this.#cache.get(topicOf(scope, taskId));
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    const task = expected === 0 ? new CachedTask(0) : known;
    if (task?.generation !== expected || !(isOver || task.isDue(bytes))) return undefined;
    if (this.#checkpoints.takes(task.bytes + bytes)) return undefined;
    return snapshotText(foldLog(entries, expected === 0 ? undefined : task.snapshot));
  }

  #appended({ scope, expected, entries }: Append, ready: PreparedAppend, id: number): void {
    const { topic, texts, checkpoint, isOver } = ready;
    this.grown(topic);
    const known = expected === 0 ? new CachedTask(id) : this.#cache.get(topic);
    if (known?.id !== id || known.generation !== expected) return;
    known.apply(
      prepare(entries, expected),
      texts.map((text) => text.length),
    );
    this.#cache.put(topic, known);
    if (checkpoint !== undefined) known.checkpointed(checkpoint.length);
    else if ((isOver || known.isDue(0)) && this.#checkpoints.takes(known.bytes))
      this.#checkpoints.add(topic, scope.owner);
  }
}

/** Bytes of loaded rows. The row of the task has no body. */
function bytesOf(rows: readonly { readonly body: string | null }[]): number {
  return rows.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
}
