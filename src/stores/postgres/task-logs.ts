import { FairSemaphore } from "../../async/fair-semaphore.js";
import { foldLog } from "../../task-log/fold.js";
import { checkEntries, prepare } from "../prepare.js";
import { keyText } from "../sql/key-text.js";
import { readEntry, readSnapshot, snapshotText } from "../sql/rows.js";
import { CachedTask, type Known, type TaskCache } from "../sql/task-cache.js";
import { Turns } from "../sql/turns.js";
import type { Scope, StoredEntry } from "../task-store.js";
import { AppendOutcome } from "./append-outcome.js";
import { AppendQueue } from "./append-queue.js";
import type { PostgresDatabase } from "./database.js";
import { type Append, type PreparedAppend, preparedAppend } from "./prepared-append.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import { topicOf } from "./wake-ups.js";

/**
 * `$3` is the number of the task that is known, if one is, and `$4` the generation as far as it is. When what is needed has more than
 * `$5` bytes only their number is given, as the bytes of the task.
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
 * At most `$4` entries after generation `$3`, ending before the one that would pass `$5` bytes, `$6` of them spent already, but not
 * before the first one when none are spent. It goes from entry to entry, so that what is beyond the bound is not read from the disk.
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
const CHECKPOINT = `INSERT INTO parley_snapshots (task, generation, body) VALUES ($1, $2, $3)
  ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation`;

/** A task, its checkpoint, or an entry of it. */
export interface LoadedRow {
  readonly kind: "task" | "checkpoint" | "entry";
  readonly id?: number;
  readonly generation: number;
  readonly body: string;
  /** Of a task: how many bytes have to be loaded of it. */
  readonly bytes?: number;
}

interface ReadRow {
  readonly id: number;
  readonly last: number;
  readonly generation: number | null;
  readonly body: string;
}

/** What a read gives. */
type Read = readonly StoredEntry[] | undefined;

/** Where a task is. */
type Place = Pick<Append, "scope" | "taskId">;

/** What is known of a task that is not remembered. */
const NOTHING: Known = { entries: [], bytes: 0, isCut: false };

/** Bytes up to which a task is loaded at once. Larger ones are loaded together as long as they have no more than these. */
const SMALL = 2 ** 18;
const LOADED = 2 ** 24;

/** The most entries that a read can ask for. */
const ALL = 2 ** 31 - 1;

/** The logs of tasks in a database, and their folds. */
export class TaskLogs {
  readonly #database: PostgresDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #hot: TaskCache;
  readonly #turns = new Turns();
  /** Bytes of large tasks that are being loaded, first come, first served. */
  readonly #loads = new FairSemaphore(LOADED, 0);
  readonly #appends: AppendQueue;
  readonly #outcome: AppendOutcome;
  /** Reads on their way, which readers at the same place share. */
  readonly #reads = new Map<string, Map<string, Promise<Read>>>();

  constructor(database: PostgresDatabase, scopes: ScopeNumbers, hot: TaskCache) {
    this.#database = database;
    this.#scopes = scopes;
    this.#hot = hot;
    this.#appends = new AppendQueue(database);
    this.#outcome = new AppendOutcome(database);
  }

  async append(append: Append, now: number | null): Promise<PreparedAppend> {
    const { scope, taskId, expected, entries, right } = append;
    checkEntries(taskId, expected, entries);
    const number = entries.length > 0 ? await this.#scopes.make(scope) : await this.#scopes.find(scope);
    const place = topicOf(scope, taskId);
    const ready = preparedAppend(append, { place, scope: number, now }, (texts, isOver) =>
      this.#checkpoint(append, texts, isOver),
    );
    // Nothing to be written, and no lease to be taken: a question.
    if (entries.length === 0 && (expected === 0 || right === undefined)) await this.#outcome.explain(ready);
    else this.#appended(append, ready, await this.#appends.add(ready));
    return ready;
  }

  /** The task as it stands. */
  async load(scope: Scope, taskId: string): Promise<CachedTask | undefined> {
    const known = this.#hot.get(topicOf(scope, taskId));
    const found = await this.#loadFrom(scope, taskId, known);
    return found === "unknown" ? ((await this.#loadFrom(scope, taskId, undefined)) as CachedTask) : found;
  }

  /** The task as it stands, from what is known of it. One that is large is loaded when few bytes of others are being loaded. */
  async #loadFrom(scope: Scope, taskId: string, known: CachedTask | undefined) {
    const place = topicOf(scope, taskId);
    const values = [await this.#scopes.find(scope), keyText(taskId), known?.id ?? 0, known?.generation ?? 0];
    const rows = await this.#database.query<LoadedRow>(LOAD, [...values, SMALL]);
    const bytes = rows.find(({ kind }) => kind === "task")?.bytes ?? 0;
    if (bytes <= SMALL) return this.fold(place, rows, known);
    const release = await this.#loads.acquire("", undefined, bytes);
    try {
      const all = await this.#database.query<LoadedRow>(LOAD, [...values, Number.MAX_SAFE_INTEGER]);
      return this.fold(place, all, known);
    } finally {
      release?.();
    }
  }

  /** Asks whether what was loaded of a task may be parsed now: undefined when it may, else a promise for when it may. */
  turnOf(rows: readonly LoadedRow[]): Promise<void> | undefined {
    return this.#turns.enter(bytesOf(rows));
  }

  /**
   * The fold of what was loaded of a task.
   * @returns undefined when there is no task; `unknown` when what is known of it does not reach as far back as what was loaded
   */
  fold(
    place: string,
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
    // Others may have added some of them meanwhile.
    const entries = rows
      .filter(({ kind, generation }) => kind === "entry" && generation > task.generation)
      .sort((one, other) => one.generation - other.generation);
    if (entries.length > 0 && entries[0]?.generation !== task.generation + 1) return "unknown";
    task.apply(
      entries.map(({ body, generation }) => readEntry(body, generation)),
      entries.map(({ body }) => body.length),
    );
    if (task.generation < row.generation) return "unknown";
    this.#hot.put(place, task);
    return task;
  }

  /** Entries after a generation; undefined when they are no longer there. */
  read(of: Place, after: number, limit = ALL, maxBytes = Number.POSITIVE_INFINITY): Promise<Read> {
    const place = topicOf(of.scope, of.taskId);
    const reads = this.#reads.get(place) ?? new Map<string, Promise<Read>>();
    this.#reads.set(place, reads);
    const key = `${after} ${limit} ${maxBytes}`;
    const known = reads.get(key);
    if (known !== undefined) return known;
    const read = this.#read(of, Math.max(after, 0), Math.min(limit, ALL), maxBytes).finally(() => {
      if (reads.get(key) === read) reads.delete(key);
      if (reads.size === 0 && this.#reads.get(place) === reads) this.#reads.delete(place);
    });
    reads.set(key, read);
    return read;
  }

  /** A log has grown: reads that are on their way may be older than that, and are shared no more. */
  grown(place: string): void {
    this.#reads.delete(place);
  }

  /** Writes a checkpoint of a task. */
  async checkpoint({ id, snapshot }: CachedTask): Promise<void> {
    await this.#database.query(CHECKPOINT, [id, snapshot.generation, snapshotText(snapshot)]);
  }

  async #read(of: Place, after: number, limit: number, maxBytes: number): Promise<Read> {
    const { scope, taskId } = of;
    const place = topicOf(scope, taskId);
    const known = this.#hot.get(place);
    const { entries: begin, bytes, isCut } = known?.read(after, limit, maxBytes) ?? NOTHING;
    const from = begin.at(-1)?.generation ?? after;
    const left = isCut ? 0 : limit - begin.length;
    const most = Math.min(maxBytes, Number.MAX_SAFE_INTEGER);
    const values = [await this.#scopes.find(scope), keyText(taskId), from, left, most, bytes];
    const rows = await this.#database.query<ReadRow>(READ, values);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (known !== undefined && known.id !== row.id) {
      this.#hot.drop(place);
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
      this.#hot.put(place, known);
    }
    return [...begin, ...rest];
  }

  /** The task as it will be, when it is time for a checkpoint and this process knows it. */
  #checkpoint({ scope, taskId, expected, entries }: Append, texts: readonly string[], isOver: boolean) {
    if (entries.length === 0) return undefined;
    const known = this.#hot.get(topicOf(scope, taskId));
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    const task = expected === 0 ? new CachedTask(0) : known;
    if (task?.generation !== expected || !(isOver || task.isDue(bytes))) return undefined;
    return snapshotText(foldLog(entries, expected === 0 ? undefined : task.snapshot));
  }

  #appended({ expected, entries }: Append, { place, texts, checkpoint }: PreparedAppend, id: number): void {
    this.grown(place);
    const known = expected === 0 ? new CachedTask(id) : this.#hot.get(place);
    if (known?.id !== id || known.generation !== expected) return;
    known.apply(
      prepare(entries, expected),
      texts.map((text) => text.length),
    );
    if (checkpoint !== undefined) known.checkpointed(checkpoint.length);
    this.#hot.put(place, known);
  }
}

/** Bytes of what was loaded; there is none of a task itself. */
function bytesOf(rows: readonly { readonly body: string | null }[]): number {
  return rows.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
}
