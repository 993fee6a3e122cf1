import { FairSemaphore } from "../../async/fair-semaphore.js";
import { turns } from "../../async/turns.js";
import { valueSize } from "../../json/value-size.js";
import { foldLog } from "../../task-log/fold.js";
import { checkEntries, prepare } from "../prepare.js";
import type { Scope, StoredEntry } from "../task-store.js";
import { CheckpointQueue } from "./checkpoint-queue.js";
import { keyText } from "./key-text.js";
import type { AppendSender, LoadedRow, LogStatements } from "./log-statements.js";
import { type Append, bytesToSend, type PreparedAppend, preparedAppend } from "./prepared-append.js";
import type { RemoteDatabase } from "./remote-database.js";
import type { RemoteFeed } from "./remote-feed.js";
import type { RemoteScopes } from "./remote-scopes.js";
import { readEntry, readSnapshot, snapshotText } from "./rows.js";
import { type CachedEntries, CachedTask, type TaskCache } from "./task-cache.js";

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

/** Bytes up to which the uncached part of a task is loaded without waiting for other loads. */
const SMALL = 2 ** 18;
/** Bytes of larger parts that may be loaded at the same time. Further loads wait; a part beyond this limit is loaded alone. */
const MAX_LOADING = 2 ** 24;

/** Number of entries of a read without a limit: the largest signed integer of 32 bits. */
const ALL = 2 ** 31 - 1;

/** What {@link RemoteTaskLogs} work with. */
export interface RemoteTaskLogsDeps {
  readonly database: RemoteDatabase;
  readonly scopes: RemoteScopes;
  readonly cache: TaskCache;
  readonly appends: AppendSender;
  readonly statements: LogStatements;
  readonly feed: RemoteFeed;
  /** The key of a task in the cache. */
  keyOf(scope: Scope, taskId: string): string;
}

/** The logs of tasks in a database on a server, and their folds. */
export class RemoteTaskLogs {
  readonly #deps: RemoteTaskLogsDeps;
  /** Permits for the bytes of large loads, first come, first served. */
  readonly #loads = new FairSemaphore(MAX_LOADING, 0);
  /** Pending reads by the key of the task and their range. Readers of the same range share a read. */
  readonly #reads = new Map<string, Map<string, Promise<Read>>>();
  readonly #checkpoints: CheckpointQueue;

  constructor(deps: RemoteTaskLogsDeps) {
    this.#deps = deps;
    this.#checkpoints = new CheckpointQueue(deps.cache, ({ id, generation, body }) =>
      deps.database.query(deps.statements.checkpoint, [id, generation, body]),
    );
  }

  /**
   * Appends entries.
   * @param now time of the append in milliseconds since 1970; null for the clock of the database
   * @returns the prepared append
   * @throws TypeError, GenerationConflict and LeaseConflict as `LeaseStore.append`; StoreError of kind `entry` for what cannot be written
   * as JSON; the error of the database or of the connection, which may already be a StoreError
   */
  async append(append: Append, now: number | null): Promise<PreparedAppend> {
    const { scope, taskId, expected, entries, right } = append;
    checkEntries(taskId, expected, entries);
    const { scopes, appends } = this.#deps;
    const number = entries.length > 0 ? await scopes.make(scope) : await scopes.find(scope);
    const key = this.#deps.keyOf(scope, taskId);
    // The entries are measured only if their size decides whether to wait.
    const turn = turns.isOver ? turns.enter(scope.owner, valueSize(entries)) : undefined;
    if (turn !== undefined) await turn;
    const ready = preparedAppend(append, { key, scope: number, now }, (texts, isOver) =>
      this.#checkpoint(append, texts, isOver),
    );
    const next = turns.worked(bytesToSend(ready));
    if (next !== undefined) await next;
    // Without entries there is nothing to store if the append has no right, or if there is no task that it could lease.
    if (entries.length === 0 && (expected === 0 || right === undefined)) await appends.check(ready);
    else this.#appended(append, ready, await appends.add(ready));
    return ready;
  }

  /** The current task; undefined if there is none. */
  async load(scope: Scope, taskId: string): Promise<CachedTask | undefined> {
    const known = this.#deps.cache.get(this.#deps.keyOf(scope, taskId));
    const found = await this.#loadFrom(scope, taskId, known);
    return found === "unknown" ? ((await this.#loadFrom(scope, taskId, undefined)) as CachedTask) : found;
  }

  /**
   * The current task, based on its cached part. The load of a large task may wait for those of other large tasks.
   * @returns as {@link fold}
   */
  async #loadFrom(scope: Scope, taskId: string, known: CachedTask | undefined) {
    const key = this.#deps.keyOf(scope, taskId);
    const values = [
      await this.#deps.scopes.find(scope),
      keyText(taskId),
      known?.id ?? 0,
      known?.generation ?? 0,
    ];
    const rows = await this.#deps.database.query<LoadedRow>(this.#deps.statements.load, [...values, SMALL]);
    const bytes = rows.find(({ kind }) => kind === "task")?.bytes ?? 0;
    if (bytes <= SMALL) return this.fold(key, rows, known);
    const release = await this.#loads.acquire("", undefined, bytes);
    try {
      const all = await this.#deps.database.query<LoadedRow>(this.#deps.statements.load, [
        ...values,
        Number.MAX_SAFE_INTEGER,
      ]);
      const turn = this.turnOf(scope.owner, all);
      if (turn !== undefined) await turn;
      const task = this.fold(key, all, known);
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
   * Folds loaded rows into a task, and caches it.
   * @returns undefined when there is no task; `unknown` when the cached part and the loaded rows lack entries of the log
   */
  fold(
    key: string,
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
    this.#deps.cache.put(key, task);
    return task;
  }

  /**
   * Entries after a generation; undefined when they were deleted or there is no such task. With a `limit` of 0, one entry is requested to
   * find that out.
   */
  read(of: ScopedTask, after: number, limit = ALL, maxBytes = Number.POSITIVE_INFINITY): Promise<Read> {
    if (limit < 1) return this.read(of, after, 1).then((entries) => entries && []);
    const key = this.#deps.keyOf(of.scope, of.taskId);
    const reads = this.#reads.get(key) ?? new Map<string, Promise<Read>>();
    this.#reads.set(key, reads);
    const range = `${after} ${limit} ${maxBytes}`;
    const known = reads.get(range);
    if (known !== undefined) return known;
    const read = this.#read(of, Math.max(after, 0), Math.min(limit, ALL), maxBytes).finally(() => {
      if (reads.get(range) === read) reads.delete(range);
      if (reads.size === 0 && this.#reads.get(key) === reads) this.#reads.delete(key);
    });
    reads.set(range, read);
    return read;
  }

  /** Called when a log has grown. Pending reads may be older, so they are no longer shared. */
  grown(key: string): void {
    this.#reads.delete(key);
  }

  /** Writes a checkpoint of a task, unless the task is gone or has one that is at least as new. */
  async checkpoint({ id, snapshot }: CachedTask): Promise<void> {
    await this.#deps.database.query(this.#deps.statements.checkpoint, [
      id,
      snapshot.generation,
      snapshotText(snapshot),
    ]);
  }

  async #read(of: ScopedTask, after: number, limit: number, maxBytes: number): Promise<Read> {
    const { scope, taskId } = of;
    const key = this.#deps.keyOf(scope, taskId);
    const known = this.#deps.cache.get(key);
    const { entries: begin, bytes, isComplete } = known?.read(after, limit, maxBytes) ?? NOTHING;
    const from = begin.at(-1)?.generation ?? after;
    const left = isComplete ? 0 : limit - begin.length;
    const most = Math.min(maxBytes, Number.MAX_SAFE_INTEGER);
    const values = [await this.#deps.scopes.find(scope), keyText(taskId), from, left, most, bytes];
    const rows = await this.#deps.database.query<ReadRow>(this.#deps.statements.read, values);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (known !== undefined && known.id !== row.id) {
      this.#deps.cache.drop(key);
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
      this.#deps.cache.put(key, known);
    }
    return [...begin, ...rest];
  }

  /** The task after an append as JSON, if it is new or cached, and a checkpoint is due that is not left to {@link CheckpointQueue}. */
  #checkpoint({ scope, taskId, expected, entries }: Append, texts: readonly string[], isOver: boolean) {
    if (entries.length === 0) return undefined;
    const known = this.#deps.cache.get(this.#deps.keyOf(scope, taskId));
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    const task = expected === 0 ? new CachedTask(0) : known;
    if (task?.generation !== expected || !(isOver || task.isCheckpointDue(bytes))) return undefined;
    if (this.#checkpoints.takes(task.bytes + bytes)) return undefined;
    return snapshotText(foldLog(entries, expected === 0 ? undefined : task.snapshot));
  }

  #appended(append: Append, ready: PreparedAppend, id: number): void {
    const { expected, entries } = append;
    const { key } = ready;
    this.grown(key);
    const known = expected === 0 ? new CachedTask(id) : this.#deps.cache.get(key);
    const isCached = known?.id === id && known.generation === expected;
    if (entries.length === 0 || !(isCached || this.#deps.feed.has(key))) return;
    const stored = prepare(entries, expected);
    if (isCached) this.#applied(append, ready, known, stored);
    this.#deps.feed.appended(key, stored);
  }

  /** Applies appended entries to the cached task. Plans a checkpoint if one is due and was not stored with the entries. */
  #applied(
    { scope }: Append,
    { key, texts, checkpoint, isOver }: PreparedAppend,
    known: CachedTask,
    stored: readonly StoredEntry[],
  ): void {
    known.apply(
      stored,
      texts.map((text) => text.length),
    );
    this.#deps.cache.put(key, known);
    if (checkpoint !== undefined) known.checkpointed(checkpoint.length);
    else if ((isOver || known.isCheckpointDue(0)) && this.#checkpoints.takes(known.bytes))
      this.#checkpoints.add(key, scope.owner);
  }
}

/** Approximate bytes of loaded rows. The row of a task may have no body. */
function bytesOf(rows: readonly { readonly body: string | null }[]): number {
  return rows.reduce((sum, { body }) => sum + (body?.length ?? 0), 0);
}
