import { type Clock, systemClock } from "../async/clock.js";
import { endsTask } from "../protocol/lifecycle.js";
import { offerFeed } from "../task-log/log-feed.js";
import type { AppendRight, ClaimedTask, HeldTask, Lease, LeaseStore, TaskLease } from "./lease-store.js";
import { MemoryLedger } from "./memory/memory-ledger.js";
import { type MemoryStoreOptions, optionNames } from "./memory/memory-options.js";
import { MemoryTask } from "./memory/memory-task.js";
import { MemoryPushConfigs } from "./memory/push-configs.js";
import { MemoryReaders } from "./memory/readers.js";
import { Retention } from "./memory/retention.js";
import { compactedSize, entriesSize, StoredBytes } from "./memory/stored-bytes.js";
import { MemoryLeases } from "./memory/task-leases.js";
import { Tasks } from "./memory/tasks.js";
import { checkEntries, prepare } from "./prepare.js";
import type { PushCursor, PushRecord, PushRegistration, PushStore } from "./push-store.js";
import { checkStoreOptions, expiryEntry } from "./retention-limits.js";
import type { SendLedger, SendOutcome, SendRecord } from "./send-ledger.js";
import { StoreFull } from "./store-error.js";
import {
  GenerationConflict,
  type LogEntry,
  type Scope,
  type StoredEntry,
  type TaskPage,
  type TaskQuery,
  type TaskSnapshot,
  type TaskStore,
} from "./task-store.js";

/** An append of up to this many bytes that ends an existing task succeeds even when the store is full, so that tasks can end. */
const MAX_FINAL_BYTES = 2048;

/**
 * Keeps tasks in the memory of this process. It is the default store and the reference implementation. Returned values are frozen or
 * owned by the caller. It has at most one timer.
 *
 * By default its memory is bounded. At the bound of an owner it deletes the owner's oldest ended tasks and records of sends with an
 * outcome. At the total bound it first deletes those of owners with at least as many bytes as the owner that writes would have, then those
 * of this owner. If that does not free enough memory, it refuses writes that need memory, with {@link StoreFull}, except small appends that
 * end an existing task, and deletes the record of a send whose outcome has no room.
 *
 * @example
 * ```ts
 * serve(agent, { store: new MemoryStore({ maxTasks: 10_000, ttl: { TASK_STATE_COMPLETED: 3_600_000 } }) });
 * ```
 */
export class MemoryStore implements TaskStore, LeaseStore, PushStore, SendLedger {
  readonly #tasks = new Tasks();
  readonly #readers = new MemoryReaders(this.#tasks);
  readonly #retention: Retention;
  readonly #clock: Clock;
  readonly #bytes: StoredBytes;
  readonly #leases: MemoryLeases;
  readonly #configs: MemoryPushConfigs;
  readonly #ledger: MemoryLedger;

  /** @throws TypeError for options or a `ttl` that are not objects, an unknown option or state, and a limit below 0 or not a number */
  constructor(options: MemoryStoreOptions = {}) {
    checkStoreOptions(options, optionNames);
    const clock = options.clock ?? systemClock;
    const bytes = new StoredBytes(options, (item) =>
      item instanceof MemoryTask ? this.#evict(item) : this.#ledger.forget(item),
    );
    this.#clock = clock;
    this.#bytes = bytes;
    this.#leases = new MemoryLeases(clock);
    this.#configs = new MemoryPushConfigs({ clock, bytes, tasks: this.#tasks });
    this.#ledger = new MemoryLedger(clock, bytes);
    this.#retention = new Retention(options, clock, {
      compact: (task) => this.#compact(task),
      fail: (task) => this.#fail(task),
      evict: (task) => this.#evict(task),
      size: () => this.#tasks.size,
    });
    const { read, wait } = MemoryStore.prototype;
    if (this.read === read && this.wait === wait) offerFeed(this, this.#readers);
  }

  /** Number of tasks in all scopes. */
  size(): number {
    return this.#tasks.size;
  }

  /** Approximate memory of the store's content in bytes; with `owner`, only of what is stored for this owner. */
  bytes(owner?: string): number {
    return owner === undefined ? this.#bytes.total : this.#bytes.bytesOf(owner);
  }

  /** Number of push configs. */
  configs(): number {
    return this.#configs.size;
  }

  /** Number of tasks with a lease. */
  leases(): number {
    return this.#leases.size;
  }

  /** Number of readers that follow a task, and of pending calls of {@link wait}. */
  waiting(): number {
    return this.#readers.size;
  }

  /** Deletes everything and wakes all readers. */
  clear(): void {
    this.#retention.clear();
    this.#ledger.clear();
    this.#leases.clear();
    this.#tasks.clear();
    this.#configs.clear();
    this.#bytes.clear();
    this.#readers.wakeAll();
  }

  // biome-ignore lint/complexity/useMaxParams: the signature of the contract.
  async append(
    scope: Scope,
    taskId: string,
    expected: number,
    entries: readonly LogEntry[],
    right?: AppendRight,
  ): Promise<number> {
    const task = this.#tasks.find(scope, taskId);
    const current = task?.generation ?? 0;
    if (current !== expected || task?.ended) throw new GenerationConflict(taskId, expected, current);
    checkEntries(taskId, expected, entries);
    this.#leases.check(taskId, task, right);
    const room = entries.length > 0 ? this.#makeRoom(scope, entries, task) : 0;
    const stored = prepare(entries, expected);
    if (task !== undefined) this.#write(task, stored, room);
    const written = task ?? (stored.length > 0 ? this.#create(scope, taskId, stored, room) : undefined);
    if (written !== undefined) this.#leases.written(written, scope, right);
    return expected + entries.length;
  }

  async load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined> {
    return this.#tasks.find(scope, taskId)?.snapshot;
  }

  async read(scope: Scope, taskId: string, after: number, limit = Number.POSITIVE_INFINITY) {
    return this.#tasks.find(scope, taskId)?.read(after, limit);
  }

  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void> {
    return this.#readers.wait(scope, taskId, after, signal);
  }

  hold(scope: Scope, taskId: string): () => void {
    const task = this.#tasks.find(scope, taskId);
    return task === undefined ? () => undefined : this.#retention.hold(task);
  }

  sizeOf(scope: Scope, taskId: string): number | undefined {
    return this.#tasks.find(scope, taskId)?.bytes;
  }

  async list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return this.#tasks.indexOf(scope)?.page(query) ?? { tasks: [], totalSize: 0 };
  }

  async claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly ClaimedTask[]> {
    return this.#leases.claim(agent, lease, limit);
  }

  async renewTasks(lease: Lease, tasks: readonly HeldTask[]): Promise<readonly (number | undefined)[]> {
    return tasks.map(({ scope, taskId, token }) =>
      this.#leases.renew(this.#tasks.find(scope, taskId), token, lease),
    );
  }

  async settleTask({ scope, taskId, token }: HeldTask, generation: number): Promise<boolean> {
    return this.#leases.settle(this.#tasks.find(scope, taskId), token, generation);
  }

  async releaseTasks(agent: string, node: string): Promise<void> {
    this.#leases.release(agent, node);
  }

  watchTasks(node: string, listener: (task: Pick<HeldTask, "scope" | "taskId">) => void): () => void {
    return this.#leases.watch(node, listener);
  }

  async claimSend(
    scope: Scope,
    key: string,
    fingerprint: string,
    lease: Lease,
  ): Promise<SendRecord | undefined> {
    return this.#ledger.claim(scope, key, { fingerprint, lease });
  }

  async settleSend(scope: Scope, key: string, outcome: SendOutcome): Promise<void> {
    this.#ledger.settle(scope, key, outcome);
  }

  async releaseSend(scope: Scope, key: string): Promise<void> {
    this.#ledger.release(scope, key);
  }

  saveConfig(scope: Scope, registration: PushRegistration): Promise<PushRecord | undefined> {
    return this.#configs.saveConfig(scope, registration);
  }

  loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    return this.#configs.loadConfig(scope, taskId, configId);
  }

  listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]> {
    return this.#configs.listConfigs(scope, taskId);
  }

  countConfigs(owner: Pick<Scope, "agent" | "owner">, most: number): Promise<number> {
    return this.#configs.countConfigs(owner, most);
  }

  deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void> {
    return this.#configs.deleteConfig(scope, taskId, configId);
  }

  claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]> {
    return this.#configs.claimConfigs(agent, lease, limit);
  }

  renewConfigs(agent: string, lease: Lease): Promise<void> {
    return this.#configs.renewConfigs(agent, lease);
  }

  releaseConfigs(agent: string, node: string): Promise<void> {
    return this.#configs.releaseConfigs(agent, node);
  }

  advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    return this.#configs.advanceConfig(record, node, cursor);
  }

  /**
   * Makes room for new entries of a task, or for a new task.
   * @returns their size in bytes
   * @throws StoreFull when there is no room, except for a small append that ends an existing task
   */
  #makeRoom(scope: Scope, entries: readonly LogEntry[], task: MemoryTask | undefined): number {
    const bytes = entriesSize(entries, task === undefined);
    const owner = task?.owner ?? this.#bytes.ownerOf(scope.owner);
    const bound = this.#bytes.makeRoom(owner, bytes);
    const isEnd = task !== undefined && bytes <= MAX_FINAL_BYTES && endsTask(entries.at(-1)?.event);
    if (bound !== undefined && !isEnd) throw new StoreFull(bound);
    return bytes;
  }

  #create(scope: Scope, taskId: string, entries: readonly StoredEntry[], bytes: number): MemoryTask {
    const owner = this.#bytes.ownerOf(scope.owner);
    const task = this.#tasks.create(scope, taskId, owner, entries);
    const configs = this.#configs.bytesOf(task.scopeKey, taskId);
    this.#bytes.grow(task, bytes + configs);
    // Push configs that were stored before their task count for the task from now on.
    if (configs > 0) this.#bytes.charge(owner, -configs);
    this.#wrote(task);
    return task;
  }

  #write(task: MemoryTask, entries: readonly StoredEntry[], bytes: number): void {
    if (entries.length === 0) return;
    this.#tasks.write(task, entries);
    this.#bytes.grow(task, bytes);
    this.#wrote(task);
    this.#readers.wake(task, entries);
  }

  #wrote(task: MemoryTask): void {
    if (task.ended) {
      this.#bytes.allowEviction(task);
      // A delivery that has not begun to read may still need the entries.
      if (this.#configs.bytesOf(task.scopeKey, task.id) > 0) task.followed = true;
    }
    this.#retention.written(task);
  }

  /** Drops the entries of an ended task. The folded task stays. */
  #compact(task: MemoryTask): void {
    task.compact();
    const configs = this.#configs.bytesOf(task.scopeKey, task.id);
    this.#bytes.grow(task, compactedSize(task, configs) - task.bytes);
  }

  /** Ends a stuck task as FAILED, and notifies its lease holder. */
  #fail(task: MemoryTask): void {
    const entry = expiryEntry(task.task, this.#clock.now());
    this.#write(task, prepare([entry], task.generation), entriesSize([entry], false));
    this.#leases.notifyHolder(task);
  }

  #evict(task: MemoryTask): void {
    this.#retention.deleted(task);
    this.#tasks.remove(task);
    this.#leases.drop(task);
    this.#configs.drop(task.scopeKey, task.id);
    this.#bytes.remove(task);
    this.#readers.release(task);
  }
}
