import { checkEntries } from "./check-entries.js";
import { type Clock, systemClock } from "./clock.js";
import { expired } from "./expired.js";
import type { AppendRight, HeldTask, Lease, LeaseStore, TakenTask, TaskLease } from "./lease-store.js";
import { MemoryLedger } from "./memory/memory-ledger.js";
import { MemoryTask } from "./memory/memory-task.js";
import { MemoryOutbox } from "./memory/outbox.js";
import { Retention, type RetentionOptions } from "./memory/retention.js";
import { ScopeTasks, scopeKey } from "./memory/scope-tasks.js";
import { MemoryLeases } from "./memory/task-leases.js";
import { prepare } from "./prepare.js";
import type { PushCursor, PushRecord, PushRegistration, PushStore } from "./push-store.js";
import { checkRetention } from "./retention-limits.js";
import type { SendLedger, SendOutcome, SendRecord } from "./send-ledger.js";
import type {
  LogEntry,
  Scope,
  StoredEntry,
  TaskPage,
  TaskQuery,
  TaskSnapshot,
  TaskStore,
} from "./task-store.js";
import { GenerationConflict } from "./task-store.js";

/** Settings of a {@link MemoryStore}. */
export interface MemoryStoreOptions extends RetentionOptions {
  /** Where time comes from; the machine's clock unless given. */
  readonly clock?: Clock;
}

const anyone: Scope = { agent: "", tenant: "", owner: "" };

/**
 * Keeps tasks in this process, for as long as it lives: the default store, and the measure for others. What it gives out is
 * frozen or made for the caller. It sets no timer while nothing is due and holds nothing for readers that have left.
 */
export class MemoryStore implements TaskStore, LeaseStore, PushStore, SendLedger {
  readonly #scopes = new Map<string, ScopeTasks>();
  /** The scope that was asked for last and its key: most likely the next one is the same. */
  #last: Scope & { readonly key: string } = { ...anyone, key: scopeKey(anyone) };
  readonly #waiters = new Map<MemoryTask, Set<() => void>>();
  readonly #retention: Retention;
  readonly #clock: Clock;
  readonly #leases: MemoryLeases;
  readonly #outbox: MemoryOutbox;
  readonly #ledger: MemoryLedger;
  #size = 0;

  /** @throws TypeError when a limit is no number from 0 on */
  constructor(options: MemoryStoreOptions = {}) {
    checkRetention(options);
    this.#clock = options.clock ?? systemClock;
    this.#leases = new MemoryLeases(this.#clock);
    this.#outbox = new MemoryOutbox(this.#clock);
    this.#ledger = new MemoryLedger(this.#clock);
    this.#retention = new Retention(options, this.#clock, {
      compact: (task) => task.compact(),
      fail: (task) => this.#fail(task),
      evict: (task) => this.#evict(task),
      size: () => this.#size,
    });
  }

  /** How many tasks there are, in all scopes. */
  size(): number {
    return this.#size;
  }

  /** How many push configs there are, on all tasks. */
  configs(): number {
    return this.#outbox.size;
  }

  /** How many tasks are held under a lease. */
  held(): number {
    return this.#leases.size;
  }

  /** How many calls of {@link wait} have not been answered. */
  waiting(): number {
    let count = 0;
    for (const waiters of this.#waiters.values()) count += waiters.size;
    return count;
  }

  /** Deletes everything; whoever waits is woken. */
  clear(): void {
    this.#retention.clear();
    this.#ledger.clear();
    this.#leases.clear();
    this.#scopes.clear();
    this.#outbox.clear();
    this.#size = 0;
    for (const task of this.#waiters.keys()) this.#wake(task);
  }

  // biome-ignore lint/complexity/useMaxParams: as the contract has it.
  async append(
    scope: Scope,
    taskId: string,
    expected: number,
    entries: readonly LogEntry[],
    right?: AppendRight,
  ): Promise<number> {
    const task = this.#find(scope, taskId);
    const current = task?.generation ?? 0;
    if (current !== expected || task?.ended) throw new GenerationConflict(taskId, expected, current);
    checkEntries(taskId, expected, entries);
    this.#leases.check(taskId, task, right);
    const stored = prepare(entries, expected);
    if (task !== undefined) this.#write(task, stored);
    const written = task ?? (stored.length > 0 ? this.#create(scope, taskId, stored) : undefined);
    if (written !== undefined) this.#leases.written(written, scope, right);
    return expected + entries.length;
  }

  async load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined> {
    return this.#find(scope, taskId)?.snapshot;
  }

  async read(
    scope: Scope,
    taskId: string,
    after: number,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<readonly StoredEntry[] | undefined> {
    return this.#find(scope, taskId)?.read(after, limit);
  }

  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void> {
    const task = this.#find(scope, taskId);
    if (task === undefined || task.ended || task.generation > after || signal.aborted)
      return Promise.resolve();
    const waiters = this.#waiters.get(task) ?? new Set();
    this.#waiters.set(task, waiters);
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        waiters.delete(wake);
        if (waiters.size === 0) this.#waiters.delete(task);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      waiters.add(wake);
    });
  }

  hold(scope: Scope, taskId: string): () => void {
    const task = this.#find(scope, taskId);
    return task === undefined ? () => undefined : this.#retention.hold(task);
  }

  async list(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    return this.#scopes.get(this.#keyOf(scope))?.index.page(query) ?? { tasks: [], totalSize: 0 };
  }

  async claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly TakenTask[]> {
    return this.#leases.claim(agent, lease, limit);
  }

  async renewTasks(lease: Lease, tasks: readonly HeldTask[]): Promise<readonly (number | undefined)[]> {
    return tasks.map(({ scope, taskId, token }) =>
      this.#leases.renew(this.#find(scope, taskId), token, lease),
    );
  }

  async settleTask({ scope, taskId, token }: HeldTask, generation: number): Promise<boolean> {
    return this.#leases.settle(this.#find(scope, taskId), token, generation);
  }

  async releaseTasks(agent: string, node: string): Promise<void> {
    this.#leases.release(agent, node);
  }

  watchTasks(node: string, tell: (task: Pick<HeldTask, "scope" | "taskId">) => void): () => void {
    return this.#leases.watch(node, tell);
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
    return this.#outbox.saveConfig(scope, registration);
  }

  loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    return this.#outbox.loadConfig(scope, taskId, configId);
  }

  listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]> {
    return this.#outbox.listConfigs(scope, taskId);
  }

  deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void> {
    return this.#outbox.deleteConfig(scope, taskId, configId);
  }

  claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]> {
    return this.#outbox.claimConfigs(agent, lease, limit);
  }

  renewConfigs(agent: string, lease: Lease): Promise<void> {
    return this.#outbox.renewConfigs(agent, lease);
  }

  releaseConfigs(agent: string, node: string): Promise<void> {
    return this.#outbox.releaseConfigs(agent, node);
  }

  advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    return this.#outbox.advanceConfig(record, node, cursor);
  }

  #find(scope: Scope, taskId: string): MemoryTask | undefined {
    return this.#scopes.get(this.#keyOf(scope))?.byId.get(taskId);
  }

  #keyOf({ agent, tenant, owner }: Scope): string {
    const last = this.#last;
    if (last.agent === agent && last.tenant === tenant && last.owner === owner) return last.key;
    const key = scopeKey({ agent, tenant, owner });
    this.#last = { agent, tenant, owner, key };
    return key;
  }

  #create(scope: Scope, taskId: string, entries: readonly StoredEntry[]): MemoryTask {
    const key = this.#keyOf(scope);
    const tasks = this.#scopes.get(key) ?? new ScopeTasks(key);
    const task = new MemoryTask(tasks.key);
    task.append(entries);
    this.#scopes.set(key, tasks);
    tasks.byId.set(taskId, task);
    tasks.index.add(task);
    this.#size += 1;
    this.#retention.written(task);
    return task;
  }

  #write(task: MemoryTask, entries: readonly StoredEntry[]): void {
    if (entries.length === 0) return;
    const index = this.#scopes.get(task.scopeKey)?.index;
    const moves = index?.used && entries.some(({ event }) => event.statusUpdate !== undefined);
    if (moves) index.remove(task);
    task.append(entries);
    if (moves) index.add(task);
    this.#retention.written(task);
    this.#wake(task);
  }

  #wake(task: MemoryTask): void {
    for (const wake of this.#waiters.get(task) ?? []) wake();
  }

  /** A task that nothing has happened to for too long ends as FAILED, with a word to its caller. */
  #fail(task: MemoryTask): void {
    this.#write(task, prepare([expired(task.task, this.#clock.now())], task.generation));
    this.#leases.interrupted(task);
  }

  #evict(task: MemoryTask): void {
    const { scopeKey, id } = task;
    const tasks = this.#scopes.get(scopeKey);
    tasks?.index.remove(task);
    tasks?.byId.delete(id);
    this.#leases.drop(task);
    this.#outbox.drop(scopeKey, id);
    if (tasks?.byId.size === 0) this.#scopes.delete(scopeKey);
    this.#size -= 1;
    task.compact();
  }
}
