import { type Clock, systemClock } from "../../async/clock.js";
import { offerFeed } from "../../task-log/log-feed.js";
import type { AppendRight, ClaimedTask, HeldTask, Lease, LeaseStore, TaskLease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration, PushStore } from "../push-store.js";
import type { SendLedger, SendOutcome, SendRecord } from "../send-ledger.js";
import type { LogEntry, Scope, TaskPage, TaskQuery, TaskSnapshot, TaskStore } from "../task-store.js";
import { type TaskListener, Waiters } from "../watchers.js";
import { AttachedReaders } from "./attached-readers.js";
import type { Backend, RemoteLeases } from "./backend.js";
import { ChangePoller } from "./change-poller.js";
import { HeldTasks } from "./held-tasks.js";
import type { PreparedAppend } from "./prepared-append.js";
import { RemoteFeed } from "./remote-feed.js";
import { RemotePushConfigs } from "./remote-push-configs.js";
import { RemoteScopes } from "./remote-scopes.js";
import { RemoteSends } from "./remote-sends.js";
import { RemoteSweeper } from "./remote-sweeper.js";
import { RemoteTaskLists } from "./remote-task-lists.js";
import { RemoteTaskLogs } from "./remote-task-logs.js";
import { type DatabaseRetention, NEXT_SWEEP_MS, SWEEP_INTERVAL_MS } from "./retention-options.js";
import { TaskCache } from "./task-cache.js";

/** The options of a {@link RemoteStore}. */
export interface RemoteStoreOptions extends DatabaseRetention {
  /** Approximate memory for cached tasks, in bytes. 64 MiB by default. */
  readonly cacheBytes?: number | undefined;
  /** Source of time, and of the timers of polls and sweeps. By default, the time is that of the database. */
  readonly clock?: Clock | undefined;
}

/**
 * Keeps tasks in a database on a server: the methods of `PostgresStore` and `LibsqlStore`. Each process can serve all tasks. A store of
 * your own implements the interfaces instead of extending this class.
 */
export abstract class RemoteStore implements TaskStore, PushStore, SendLedger, LeaseStore {
  readonly #backend: Backend;
  readonly #clock: Clock;
  /** The time passed to statements, in milliseconds since 1970; null for the clock of the database. */
  readonly #time: () => number | null;
  readonly #waiters = new Waiters<string>();
  readonly #held = new HeldTasks();
  readonly #readers = new AttachedReaders();
  readonly #feed: RemoteFeed;
  readonly #changes: ChangePoller;
  readonly #cache: TaskCache;
  readonly #logs: RemoteTaskLogs;
  readonly #leases: RemoteLeases;
  readonly #lists: RemoteTaskLists;
  readonly #configs: RemotePushConfigs;
  readonly #sends: RemoteSends;
  readonly #sweeper: RemoteSweeper;
  #cancelSweep: (() => void) | undefined;
  #sweeping: Promise<boolean> = Promise.resolve(false);
  #isClosed = false;

  /** @internal */
  protected constructor(backend: Backend, options: RemoteStoreOptions) {
    const { database, statements, appends, claims, sweeps, keyOf, wakeUps } = backend;
    const { cacheBytes = 2 ** 26, clock } = options;
    const scopes = new RemoteScopes(database, statements.scopes);
    const cache = new TaskCache(cacheBytes);
    const shared = { database, scopes, cache, keyOf };
    this.#backend = backend;
    this.#cache = cache;
    this.#clock = clock ?? systemClock;
    this.#time = () => (clock === undefined ? null : Math.floor(clock.now()));
    const feed = new RemoteFeed({
      ...{ cache, keyOf },
      followed: ({ key, scope, taskId, generation: after }) => {
        const moved = (generation: number) => feed.changed(key, generation);
        // Other processes seldom append to a task that this process holds. A poll finds their entries.
        if (this.#held.has(key)) this.#changes.watch();
        else this.#changes.begin({ scope, taskId, after, moved });
      },
    });
    this.#feed = feed;
    offerFeed(this, feed);
    this.#logs = new RemoteTaskLogs({ ...shared, appends, feed, statements: statements.logs });
    this.#leases = backend.leases(scopes);
    this.#lists = new RemoteTaskLists({ ...shared, logs: this.#logs, statements: statements.lists });
    this.#configs = new RemotePushConfigs({ database, scopes, dialect: statements.dialect, claims });
    this.#sends = new RemoteSends(database, scopes, statements.dialect);
    this.#changes = new ChangePoller({
      ...{ database, scopes, clock: this.#clock, waiters: this.#waiters, held: this.#held, feed },
      ...{ interval: backend.pollInterval, moved: statements.moved },
    });
    this.#sweeper = new RemoteSweeper(options, {
      ...{ ...shared, logs: this.#logs, statements: statements.sweep, actions: sweeps },
      storeError: backend.storeError,
      hasReader: (key) => this.#readers.has(key),
      append: (...parameters) => this.append(...parameters),
      dropped: (key) => cache.drop(key),
      changed: (key) => {
        this.#waiters.wake(key);
        feed.changed(key);
        wakeUps?.send([key]);
      },
    });
  }

  /** Approximate memory of cached tasks, in bytes; at most `cacheBytes`. */
  bytes(): number {
    return this.#cache.size;
  }

  /**
   * Compacts logs, ends stuck tasks, and deletes tasks and records of sends that are due. The store does so itself every few seconds.
   * @throws StoreError, or the error of the database or of the connection to it
   */
  async sweep(): Promise<void> {
    while (await this.#sweeper.sweep(this.#time()));
  }

  /** Wakes all waiting readers and closes all connections, even if the server does not respond. No call may follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    this.#changes.stop();
    this.#waiters.wakeAll();
    this.#feed.close();
    // A running sweep ends with its connection.
    await Promise.all([this.#backend.database.close(), this.#sweeping.catch(() => undefined)]);
    await this.#backend.wakeUps?.close();
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
    const ready = await this.#logs.append(append, this.#time()).catch((error: unknown) => {
      throw this.#backend.storeError(error);
    });
    const generation = expected + entries.length;
    this.#updateHolder(scope, ready, generation);
    if (entries.length > 0) {
      this.#waiters.wake(ready.key);
      this.#backend.wakeUps?.send([ready.key]);
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
    const key = this.#backend.keyOf(scope, taskId);
    const wait = this.#waiters.add(key, { scope, taskId, after }, signal);
    this.#changes.begin({ scope, taskId, after, moved: () => this.#waiters.wake(key) });
    return wait;
  }

  hold(scope: Scope, taskId: string): () => void {
    return this.#readers.add(this.#backend.keyOf(scope, taskId));
  }

  sizeOf(scope: Scope, taskId: string): number | undefined {
    return this.#cache.get(this.#backend.keyOf(scope, taskId))?.bytes;
  }

  list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return this.#lists.page(scope, query);
  }

  async claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly ClaimedTask[]> {
    const claimed = await this.#leases.claim(agent, lease, limit, this.#time());
    return claimed.map(({ task, generation }) => {
      const { scope, taskId } = task;
      this.#held.add({ key: this.#backend.keyOf(scope, taskId), scope, taskId, lease, generation });
      return task;
    });
  }

  async renewTasks(lease: Lease, tasks: readonly HeldTask[]): Promise<readonly (number | undefined)[]> {
    if (tasks.length === 0) return [];
    const generations = await this.#leases.renew(lease, tasks, this.#time());
    for (const [index, { scope, taskId, token }] of tasks.entries()) {
      if (generations[index] === undefined) this.#held.forget(this.#backend.keyOf(scope, taskId), token);
    }
    return generations;
  }

  async settleTask(task: HeldTask, generation: number): Promise<boolean> {
    const isSettled = await this.#leases.settle(task, generation);
    if (isSettled) this.#held.forget(this.#backend.keyOf(task.scope, task.taskId), task.token);
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

  /** Called after an append. Under a lease, it records the holder and the generation; otherwise it notifies the holder. */
  #updateHolder(scope: Scope, { taskId, key, right, isOver }: PreparedAppend, generation: number): void {
    if (right === undefined || "external" in right) this.#held.notifyHolder(key);
    else if ("token" in right) this.#held.setGeneration(key, generation);
    else if (generation > 0) this.#held.add({ key, scope, taskId, lease: right.lease, generation });
    if (isOver) this.#held.forget(key);
  }

  /**
   * Starts to listen to other processes, and to sweep.
   * @throws the error with which `wakeUps.open` rejects
   * @internal
   */
  protected async start(): Promise<void> {
    await this.#backend.wakeUps?.open(
      (topics) => this.#heard(topics),
      () => void this.#changes.pollAll(),
    );
    this.#planSweep(SWEEP_INTERVAL_MS);
  }

  /** Called with the topics of tasks whose logs have changed, usually by another process. */
  #heard(topics: readonly string[]): void {
    for (const topic of topics) {
      this.#logs.grown(topic);
      this.#waiters.wake(topic);
      this.#feed.changed(topic);
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
