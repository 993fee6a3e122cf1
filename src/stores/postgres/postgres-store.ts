import { type Clock, systemClock } from "../../async/clock.js";
import type { AppendRight, ClaimedTask, HeldTask, Lease, LeaseStore, TaskLease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration, PushStore } from "../push-store.js";
import type { SendLedger, SendOutcome, SendRecord } from "../send-ledger.js";
import { AttachedReaders } from "../sql/attached-readers.js";
import { postgresDriver } from "../sql/drivers.js";
import { HeldTasks } from "../sql/held-tasks.js";
import { NEXT_SWEEP_MS, SWEEP_INTERVAL_MS } from "../sql/retention-options.js";
import { TaskCache } from "../sql/task-cache.js";
import type { LogEntry, Scope, TaskPage, TaskQuery, TaskSnapshot, TaskStore } from "../task-store.js";
import { type TaskListener, Waiters } from "../watchers.js";
import { ChangePoller } from "./change-poller.js";
import { PostgresDatabase } from "./database.js";
import { storeError } from "./database-fault.js";
import { ListenNotify } from "./listen-notify.js";
import { checkPostgres, type PostgresStoreOptions } from "./options.js";
import type { PreparedAppend } from "./prepared-append.js";
import { PushConfigRows } from "./push-configs.js";
import { ScopeNumbers } from "./scope-numbers.js";
import { SentMessages } from "./sent-messages.js";
import { Sweeper } from "./sweeper.js";
import { TaskLeases } from "./task-leases.js";
import { TaskLists } from "./task-lists.js";
import { TaskLogs } from "./task-logs.js";
import { topicOf, type WakeUps } from "./wake-ups.js";

/**
 * Keeps tasks in PostgreSQL, for any number of processes on any number of machines. Each process can serve all tasks, and is notified
 * when another process writes, usually at once. Concurrent appends to different tasks share statements. While the server is unavailable, a
 * call waits about half a minute before it fails; one that claims tasks, or renews leases on tasks or push configs, usually fails earlier.
 *
 * @example
 * ```ts
 * const store = await PostgresStore.open({ url: "postgres://app:secret@db:5432/agent" });
 * const server = await serve(agent, { store });
 * // ... after server.close():
 * await store.close();
 * ```
 */
export class PostgresStore implements TaskStore, PushStore, SendLedger, LeaseStore {
  readonly #database: PostgresDatabase;
  readonly #wakeUps: WakeUps;
  readonly #clock: Clock;
  /** The time passed to statements; null for the clock of the database. */
  readonly #time: () => number | null;
  readonly #waiters = new Waiters<string>();
  readonly #held = new HeldTasks();
  readonly #readers = new AttachedReaders();
  readonly #changes: ChangePoller;
  readonly #cache: TaskCache;
  readonly #logs: TaskLogs;
  readonly #leases: TaskLeases;
  readonly #lists: TaskLists;
  readonly #configs: PushConfigRows;
  readonly #sends: SentMessages;
  readonly #sweeper: Sweeper;
  #cancelSweep: (() => void) | undefined;
  #sweeping: Promise<boolean> = Promise.resolve(false);
  #isClosed = false;

  /**
   * Connects to a server and migrates its database, unless `migrate` is false. Waits about half a minute for an unavailable server.
   * @throws TypeError for a URL that is not a PostgreSQL URL, an unknown option or state, and an invalid value of a limit or of `ttl`
   * @throws Error when the driver is missing, or the database or its version cannot be used; the error with which `wakeUps.open` rejects
   */
  static async open(options: PostgresStoreOptions): Promise<PostgresStore> {
    checkPostgres(options);
    const { connections = 10, migrate = true } = options;
    const database = new PostgresDatabase({ ...options, driver: await postgresDriver(), connections });
    try {
      await database.migrate(migrate);
      const store = new PostgresStore(database, options);
      await store.#wakeUps.open(
        (topics) => store.#heard(topics),
        () => void store.#changes.pollAll(),
      );
      store.#planSweep(SWEEP_INTERVAL_MS);
      return store;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private constructor(database: PostgresDatabase, options: PostgresStoreOptions) {
    if (!(database instanceof PostgresDatabase))
      throw new TypeError("A store is opened with `await PostgresStore.open({ url })`");
    const { cacheBytes = 2 ** 26, clock, wakeUps } = options;
    const scopes = new ScopeNumbers(database);
    const cache = new TaskCache(cacheBytes);
    this.#cache = cache;
    this.#database = database;
    this.#clock = clock ?? systemClock;
    this.#time = () => clock?.now() ?? null;
    this.#wakeUps = wakeUps ?? new ListenNotify(database);
    this.#logs = new TaskLogs(database, scopes, cache);
    this.#leases = new TaskLeases(database, scopes);
    this.#lists = new TaskLists(database, scopes, this.#logs, cache);
    this.#configs = new PushConfigRows(database, scopes);
    this.#sends = new SentMessages(database, scopes);
    const watched = { waiters: this.#waiters, held: this.#held };
    this.#changes = new ChangePoller({ database, scopes, clock: this.#clock, ...watched });
    this.#sweeper = new Sweeper(options, {
      ...{ database, scopes, logs: this.#logs },
      hasReader: (topic) => this.#readers.has(topic),
      append: (...parameters) => this.append(...parameters),
      dropped: (topic) => cache.drop(topic),
      changed: (topic) => {
        this.#waiters.wake(topic);
        this.#wakeUps.send([topic]);
      },
    });
  }

  /** Approximate memory of cached tasks, in bytes; at most `cacheBytes`. */
  bytes(): number {
    return this.#cache.size;
  }

  /**
   * Compacts logs, fails stuck tasks, and deletes tasks and records of sends that are due. The store does so itself every few seconds.
   * @throws StoreError, or the error of PostgreSQL or of the connection to it
   */
  async sweep(): Promise<void> {
    while (await this.#sweeper.sweep(this.#time()));
  }

  /** Wakes all waiting readers and closes all connections, within seconds even without a response. No call may follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    this.#changes.stop();
    this.#waiters.wakeAll();
    // A running sweep ends with its connection.
    await Promise.all([this.#database.close(), this.#sweeping.catch(() => undefined)]);
    await this.#wakeUps.close();
  }

  // biome-ignore lint/complexity/useMaxParams: the signature of the contract.
  async append(
    scope: Scope,
    taskId: string,
    expected: number,
    entries: readonly LogEntry[],
    right?: AppendRight,
  ): Promise<number> {
    const append = { scope, taskId, expected, entries, right };
    const ready = await this.#logs.append(append, this.#time()).catch(refused);
    const generation = expected + entries.length;
    this.#updateHolder(scope, ready, generation);
    if (entries.length > 0) {
      this.#waiters.wake(ready.topic);
      this.#wakeUps.send([ready.topic]);
    }
    return generation;
  }

  async load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined> {
    return (await this.#logs.load(scope, taskId))?.snapshot;
  }

  // biome-ignore lint/complexity/useMaxParams: the signature of the contract.
  read(scope: Scope, taskId: string, after: number, limit?: number, maxBytes?: number) {
    return this.#logs.read({ scope, taskId }, after, limit, maxBytes);
  }

  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#isClosed) return Promise.resolve();
    const topic = topicOf(scope, taskId);
    const wait = this.#waiters.add(topic, { scope, taskId, after }, signal);
    this.#changes.begin(scope, taskId, after, topic);
    return wait;
  }

  hold(scope: Scope, taskId: string): () => void {
    return this.#readers.add(topicOf(scope, taskId));
  }

  sizeOf(scope: Scope, taskId: string): number | undefined {
    return this.#cache.get(topicOf(scope, taskId))?.bytes;
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return this.#lists.page(scope, query);
  }

  async claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly ClaimedTask[]> {
    const claimed = await this.#leases.claim(agent, lease, limit, this.#time());
    return claimed.map(({ task, generation }) => {
      const { scope, taskId } = task;
      this.#held.add({ key: topicOf(scope, taskId), scope, taskId, lease, generation });
      return task;
    });
  }

  async renewTasks(lease: Lease, tasks: readonly HeldTask[]): Promise<readonly (number | undefined)[]> {
    if (tasks.length === 0) return [];
    const generations = await this.#leases.renew(lease, tasks, this.#time());
    for (const [index, { scope, taskId, token }] of tasks.entries()) {
      if (generations[index] === undefined) this.#held.forget(topicOf(scope, taskId), token);
    }
    return generations;
  }

  async settleTask(task: HeldTask, generation: number): Promise<boolean> {
    const isSettled = await this.#leases.settle(task, generation);
    if (isSettled) this.#held.forget(topicOf(task.scope, task.taskId), task.token);
    return isSettled;
  }

  releaseTasks(agent: string, node: string): Promise<void> {
    return this.#leases.release(agent, node, this.#time());
  }

  watchTasks(node: string, listener: TaskListener): () => void {
    const unwatch = this.#held.watch(node, listener);
    this.#changes.watch();
    return unwatch;
  }

  claimSend(scope: Scope, key: string, fingerprint: string, lease: Lease): Promise<SendRecord | undefined> {
    return this.#sends.claim(scope, { key, fingerprint, lease }, this.#time());
  }

  settleSend(scope: Scope, key: string, outcome: SendOutcome): Promise<void> {
    return this.#sends.settle(scope, key, outcome);
  }

  releaseSend(scope: Scope, key: string): Promise<void> {
    return this.#sends.release(scope, key);
  }

  saveConfig(scope: Scope, registration: PushRegistration): Promise<PushRecord | undefined> {
    return this.#configs.save(scope, registration, this.#time());
  }

  loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    return this.#configs.load(scope, taskId, configId);
  }

  listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]> {
    return this.#configs.list(scope, taskId);
  }

  countConfigs(owner: Pick<Scope, "agent" | "owner">, most: number): Promise<number> {
    return this.#configs.count(owner, most);
  }

  deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void> {
    return this.#configs.delete(scope, taskId, configId);
  }

  claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]> {
    return this.#configs.claim(agent, lease, limit, this.#time());
  }

  renewConfigs(agent: string, lease: Lease): Promise<void> {
    return this.#configs.renew(agent, lease, this.#time());
  }

  releaseConfigs(agent: string, node: string): Promise<void> {
    return this.#configs.release(agent, node);
  }

  advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    return this.#configs.advance(record, node, cursor);
  }

  /** After an append: records the lease holder and its generation (0: no task to hold), or notifies it that another writer has appended. */
  #updateHolder(scope: Scope, { taskId, topic, right, isOver }: PreparedAppend, generation: number): void {
    if (right === undefined || "external" in right) this.#held.notifyHolder(topic);
    else if ("token" in right) this.#held.written(topic, generation);
    else if (generation > 0) this.#held.add({ key: topic, scope, taskId, lease: right.lease, generation });
    if (isOver) this.#held.forget(topic);
  }

  /** Called with the topics of tasks that were written, usually by another process. */
  #heard(topics: readonly string[]): void {
    for (const topic of topics) {
      this.#logs.grown(topic);
      this.#waiters.wake(topic);
      this.#held.notifyHolder(topic);
    }
  }

  #planSweep(delay: number): void {
    if (this.#isClosed) return;
    this.#cancelSweep = this.#clock.schedule(delay, () => {
      this.#sweeping = this.#sweeper.sweep(this.#time());
      // A failed sweep is repeated later.
      const plan = (more: boolean) => this.#planSweep(more ? NEXT_SWEEP_MS : SWEEP_INTERVAL_MS);
      this.#sweeping.then(plan, () => plan(false));
    });
  }
}

/** @throws the error, converted by {@link storeError} */
function refused(error: unknown): never {
  throw storeError(error);
}
