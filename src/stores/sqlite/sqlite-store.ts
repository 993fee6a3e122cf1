import { type Clock, systemClock } from "../../async/clock.js";
import { turns } from "../../async/turns.js";
import { valueSize } from "../../json/value-size.js";
import type { AppendRight, ClaimedTask, HeldTask, Lease, LeaseStore, TaskLease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration, PushStore } from "../push-store.js";
import type { SendLedger, SendOutcome, SendRecord } from "../send-ledger.js";
import { AttachedReaders } from "../sql/attached-readers.js";
import { CheckpointQueue } from "../sql/checkpoint-queue.js";
import { HeldTasks } from "../sql/held-tasks.js";
import { NEXT_SWEEP_MS, SWEEP_INTERVAL_MS } from "../sql/retention-options.js";
import { TaskCache } from "../sql/task-cache.js";
import {
  keyInScope,
  type LogEntry,
  type Scope,
  type StoredEntry,
  type TaskPage,
  type TaskQuery,
  type TaskSnapshot,
  type TaskStore,
} from "../task-store.js";
import { type TaskListener, Waiters } from "../watchers.js";
import { SqliteDatabase } from "./database.js";
import { ExternalWritePoller } from "./external-write-poller.js";
import { checkSqlite, type SqliteStoreOptions } from "./options.js";
import { PushConfigRows } from "./push-configs.js";
import { ScopeNumbers } from "./scope-numbers.js";
import { SentMessages } from "./sent-messages.js";
import { Sweeper } from "./sweeper.js";
import { TaskLeases } from "./task-leases.js";
import { TaskLists } from "./task-lists.js";
import { appendOf, TaskLogs } from "./task-logs.js";
import { type Effects, WriteQueue } from "./write-queue.js";

/**
 * Keeps tasks in one file, for one machine. There is no server to operate. By default, a write is acknowledged only after SQLite has synced
 * it to the disk. Small writes of the same turn of the event loop can share a transaction. Several processes may use the same file.
 *
 * @example
 * ```ts
 * const store = new SqliteStore({ file: "tasks.db" });
 * const server = await serve(agent, { store });
 * // ... after server.close():
 * await store.close();
 * ```
 */
export class SqliteStore implements TaskStore, PushStore, SendLedger, LeaseStore {
  readonly #clock: Clock;
  /** The time as an integer, in milliseconds since 1970. */
  readonly #now: () => number;
  readonly #database: SqliteDatabase;
  readonly #writes: WriteQueue;
  readonly #waiters = new Waiters<string>();
  readonly #held = new HeldTasks();
  readonly #externalWrites: ExternalWritePoller;
  readonly #cache: TaskCache;
  readonly #logs: TaskLogs;
  readonly #leases: TaskLeases;
  readonly #lists: TaskLists;
  readonly #configs: PushConfigRows;
  readonly #sends: SentMessages;
  readonly #sweeper: Sweeper;
  readonly #readers = new AttachedReaders();
  #cancelSweep: (() => void) | undefined;
  #isClosing = false;

  /**
   * @throws TypeError for an invalid option, such as a missing path, a negative limit, or an option or a state in `ttl` that does not exist
   * @throws Error when the driver is not installed, the file cannot be opened or migrated, is not a database or stays locked, or has a
   * version that this release cannot use
   */
  constructor(options: SqliteStoreOptions) {
    checkSqlite(options);
    const { file, synchronous = "full", migrate = true, cacheBytes = 2 ** 26, clock = systemClock } = options;
    this.#clock = clock;
    this.#now = () => Math.floor(clock.now());
    const database = new SqliteDatabase({ file, synchronous, migrate });
    const scopes = new ScopeNumbers(database);
    const cache = new TaskCache(cacheBytes);
    this.#cache = cache;
    this.#database = database;
    this.#leases = new TaskLeases(database, scopes, this.#held);
    const checkpoints = new CheckpointQueue(cache, ({ owner, ...checkpoint }) =>
      this.#writes.add(() => this.#logs.save(checkpoint), { owner, bytes: checkpoint.body.length }),
    );
    this.#logs = new TaskLogs({ database, scopes, leases: this.#leases, cache, checkpoints });
    this.#lists = new TaskLists(database, scopes, this.#logs);
    this.#configs = new PushConfigRows(database, scopes);
    this.#sends = new SentMessages(database, scopes);
    this.#writes = new WriteQueue(database, () => {
      cache.clear();
      scopes.clear();
    });
    const locate = (scope: Scope, taskId: string) => this.#logs.locate(scope, taskId);
    this.#externalWrites = new ExternalWritePoller({
      database,
      clock,
      waiters: this.#waiters,
      held: this.#held,
      locate,
    });
    this.#sweeper = new Sweeper(options, {
      ...{ database, scopes, cache, logs: this.#logs },
      hasReader: (key) => this.#readers.has(key),
      changed: (key) => this.#waiters.wake(key),
    });
    this.#planSweep(SWEEP_INTERVAL_MS);
  }

  /** Approximate memory of cached tasks, in bytes; at most `cacheBytes`. */
  bytes(): number {
    return this.#cache.size;
  }

  /**
   * Compacts logs, ends stuck tasks as FAILED, and deletes tasks and records of sends that are due. The store also does so itself, every few
   * seconds.
   * @throws StoreError when SQLite reports an error
   */
  async sweep(): Promise<void> {
    for (let more = true; more; ) {
      more = await this.#writes.add((effects) => this.#sweeper.sweep(this.#now(), effects));
      const next = turns.worked(this.#sweeper.bytes);
      if (next !== undefined) await next;
    }
  }

  /**
   * Waits for pending writes, wakes all waiting readers, and closes the file. Writes that another process still blocks after about a
   * second are rejected. The store cannot be used afterwards.
   */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelSweep?.();
    this.#externalWrites.stop();
    await this.#writes.drain();
    this.#waiters.wakeAll();
    if (this.#database.isOpen) this.#database.close();
  }

  // biome-ignore lint/complexity/useMaxParams: the signature of the contract.
  async append(
    scope: Scope,
    taskId: string,
    expected: number,
    entries: readonly LogEntry[],
    right?: AppendRight,
  ): Promise<number> {
    const { owner } = scope;
    // The entries are measured only if their size decides whether to wait.
    const turn = turns.isOver ? turns.enter(owner, valueSize(entries)) : undefined;
    if (turn !== undefined) await turn;
    const append = appendOf({ scope, taskId }, expected, entries, right);
    const bytes = append.texts.reduce((sum, text) => sum + text.length, 0);
    const next = turns.worked(bytes);
    if (next !== undefined) await next;
    const write = (effects: Effects) => {
      const generation = this.#logs.append(append, this.#now(), effects);
      if (entries.length > 0) effects.push(() => this.#waiters.wake(keyInScope(scope, taskId)));
      return generation;
    };
    return this.#writes.add(write, { owner, bytes });
  }

  async load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined> {
    return this.#logs.load(scope, taskId);
  }

  // biome-ignore lint/complexity/useMaxParams: the signature of the contract.
  async read(
    scope: Scope,
    taskId: string,
    after: number,
    limit = Number.MAX_SAFE_INTEGER,
    maxBytes = Number.POSITIVE_INFINITY,
  ): Promise<readonly StoredEntry[] | undefined> {
    return this.#logs.read({ scope, taskId }, after, limit, maxBytes);
  }

  async wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void> {
    const found = this.#logs.locate(scope, taskId);
    if (found === undefined || found.ended !== null || found.generation > after || signal.aborted) return;
    const wait = this.#waiters.add(keyInScope(scope, taskId), { scope, taskId, after }, signal);
    this.#externalWrites.watch();
    await wait;
  }

  hold(scope: Scope, taskId: string): () => void {
    return this.#readers.add(keyInScope(scope, taskId));
  }

  sizeOf(scope: Scope, taskId: string): number | undefined {
    return this.#cache.get(keyInScope(scope, taskId))?.bytes;
  }

  async list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return this.#lists.page(scope, query);
  }

  claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly ClaimedTask[]> {
    return this.#writes.add((effects) =>
      this.#leases.claim(agent, lease, { limit, now: this.#now() }, effects),
    );
  }

  async renewTasks(lease: Lease, tasks: readonly HeldTask[]): Promise<readonly (number | undefined)[]> {
    if (tasks.length === 0) return [];
    return this.#writes.add((effects) => this.#leases.renew(lease, tasks, this.#now(), effects));
  }

  settleTask(task: HeldTask, generation: number): Promise<boolean> {
    return this.#writes.add((effects) => this.#leases.settle(task, generation, effects));
  }

  releaseTasks(agent: string, node: string): Promise<void> {
    return this.#writes.add(() => this.#leases.release(agent, node, this.#now()));
  }

  watchTasks(node: string, listener: TaskListener): () => void {
    const unwatch = this.#held.watch(node, listener);
    this.#externalWrites.watch();
    return unwatch;
  }

  claimSend(scope: Scope, key: string, fingerprint: string, lease: Lease): Promise<SendRecord | undefined> {
    const send = { key, fingerprint, lease };
    return this.#writes.add(() => this.#sends.claim(scope, send, this.#now()));
  }

  settleSend(scope: Scope, key: string, outcome: SendOutcome): Promise<void> {
    return this.#writes.add(() => this.#sends.settle(scope, key, outcome));
  }

  releaseSend(scope: Scope, key: string): Promise<void> {
    return this.#writes.add(() => this.#sends.release(scope, key));
  }

  saveConfig(scope: Scope, registration: PushRegistration): Promise<PushRecord | undefined> {
    return this.#writes.add(() => this.#configs.save(scope, registration, this.#now()));
  }

  async loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    return this.#configs.load(scope, taskId, configId);
  }

  async listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]> {
    return this.#configs.list(scope, taskId);
  }

  async countConfigs(owner: Pick<Scope, "agent" | "owner">, most: number): Promise<number> {
    return this.#configs.count(owner, most);
  }

  deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void> {
    return this.#writes.add(() => this.#configs.delete(scope, taskId, configId));
  }

  claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]> {
    return this.#writes.add(() => this.#configs.claim(agent, lease, limit, this.#now()));
  }

  renewConfigs(agent: string, lease: Lease): Promise<void> {
    return this.#writes.add(() => this.#configs.renew(agent, lease, this.#now()));
  }

  releaseConfigs(agent: string, node: string): Promise<void> {
    return this.#writes.add(() => this.#configs.release(agent, node));
  }

  advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    return this.#writes.add(() => this.#configs.advance(record, node, cursor));
  }

  #planSweep(delay: number): void {
    this.#cancelSweep = this.#clock.schedule(delay, () => {
      const again = (more: boolean) =>
        !this.#isClosing && this.#planSweep(more ? NEXT_SWEEP_MS : SWEEP_INTERVAL_MS);
      const sweep = this.#writes.add((effects) => this.#sweeper.sweep(this.#now(), effects));
      // A failed sweep is repeated later. Its error is ignored, because other writes report a fault of the file to their callers.
      sweep.then(again, () => again(false));
    });
  }
}
