import type { Clock } from "../../async/clock.js";
import { checkRight } from "../append-right.js";
import type { AppendRight, ClaimedTask, Lease, TaskLease } from "../lease-store.js";
import type { Scope } from "../task-store.js";
import { NodeListeners, type TaskListener } from "../watchers.js";
import type { MemoryTask } from "./memory-task.js";

/** The lease on a task, and the work under it. */
interface StoredLease {
  readonly scope: Scope;
  readonly taskId: string;
  node: string;
  token: string;
  /** When the lease expires, in milliseconds since 1970. */
  until: number;
  work: number;
  attempt: number;
}

/** The leases on the tasks of a memory store. */
export class MemoryLeases {
  readonly #leases = new Map<MemoryTask, StoredLease>();
  readonly #listeners = new NodeListeners();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of leases. */
  get size(): number {
    return this.#leases.size;
  }

  clear(): void {
    this.#leases.clear();
  }

  /** @throws LeaseConflict when the right does not allow an append */
  check(taskId: string, task: MemoryTask | undefined, right: AppendRight | undefined): void {
    if (right !== undefined) checkRight(taskId, task && this.#leases.get(task), right);
  }

  /** Updates the lease after an append that {@link check} has allowed. Notifies the holder if the append was not made under the lease. */
  written(task: MemoryTask, scope: Scope, right: AppendRight | undefined): void {
    if (right === undefined || "external" in right) this.notifyHolder(task);
    else if (task.ended) this.#leases.delete(task);
    else this.#update(task, scope, right);
  }

  /** Notifies a task's lease holder that another writer may have appended. Removes the lease if the task has ended. */
  notifyHolder(task: MemoryTask): void {
    const lease = this.#leases.get(task);
    if (lease === undefined) return;
    if (task.ended) this.#leases.delete(task);
    const { node, scope, taskId } = lease;
    this.#listeners.notify(node, { scope, taskId });
  }

  /** Removes the lease of a deleted task. */
  drop(task: MemoryTask): void {
    this.#leases.delete(task);
  }

  /** Takes over tasks whose leases have expired, in the order of expiry. */
  claim(agent: string, { node, token, duration }: TaskLease, limit: number): ClaimedTask[] {
    const now = this.#clock.now();
    const free = [...this.#leases.values()]
      .filter(({ scope, until }) => scope.agent === agent && until <= now)
      .sort((one, other) => one.until - other.until)
      .slice(0, limit);
    return free.map((lease) => {
      Object.assign(lease, { node, token, until: now + duration, attempt: lease.attempt + 1 });
      const { scope, taskId, work, attempt } = lease;
      return { scope, taskId, token, work, attempt };
    });
  }

  /** Renews a lease; returns the generation of the task, or undefined if the lease is lost. */
  renew(task: MemoryTask | undefined, token: string, { duration }: Lease): number | undefined {
    const lease = task && this.#leases.get(task);
    if (lease?.token !== token) return undefined;
    lease.until = this.#clock.now() + duration;
    return task?.generation;
  }

  /** Deletes a lease; returns false, without a change, when the log is not at `generation` or the lease is lost. */
  settle(task: MemoryTask | undefined, token: string, generation: number): boolean {
    if (task?.generation !== generation || this.#leases.get(task)?.token !== token) return false;
    return this.#leases.delete(task);
  }

  /** Lets all leases of a node on tasks of an agent expire now. */
  release(agent: string, node: string): void {
    const now = this.#clock.now();
    for (const lease of this.#leases.values()) {
      if (lease.node === node && lease.scope.agent === agent) lease.until = Math.min(lease.until, now);
    }
  }

  /**
   * Adds a listener of a node. It is called when another writer may have appended to a task on which the node has the lease.
   * @returns a function that removes the listener
   */
  watch(node: string, listener: TaskListener): () => void {
    return this.#listeners.add(node, listener);
  }

  #update(task: MemoryTask, scope: Scope, right: Exclude<AppendRight, { external: true }>): void {
    const lease = this.#leases.get(task);
    const { work } = right;
    if ("lease" in right) {
      const { node, token, duration } = right.lease;
      const until = this.#clock.now() + duration;
      const { id: taskId } = task;
      const copy = Object.freeze({ ...scope });
      this.#leases.set(task, { scope: copy, taskId, node, token, until, work, attempt: 1 });
    } else if (lease !== undefined && lease.work !== work) {
      lease.work = work;
      lease.attempt = 1;
    }
  }
}
