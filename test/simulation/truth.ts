import type { AppendRight, HeldTask, TakenTask, TaskLease } from "../../src/stores/lease-store.js";
import { MemoryStore } from "../../src/stores/memory.js";
import type { PushCursor, PushRecord } from "../../src/stores/push-store.js";
import type { LogEntry, Scope } from "../../src/stores/task-store.js";
import { foldLog } from "../../src/task/fold.js";
import { isTerminal } from "../../src/task/lifecycle.js";
import type { World } from "./world.js";

/** Mistakes that are put in on purpose, to see that they are found. */
export type Bug = "no fencing" | "lost cursor" | "gap in reads" | "never taken over";

/** What is known of a task besides what the store says. */
export interface Known {
  readonly entries: LogEntry[];
  holder: string | undefined;
}

/**
 * The store behind all nodes, which sees everything that is committed, in order, and keeps its own books: what it finds there
 * does not rest on the store being right.
 */
export class Truth extends MemoryStore {
  readonly tasks = new Map<string, Known>();
  readonly #world: World;
  readonly #bug: Bug | undefined;

  constructor(world: World, bug?: Bug) {
    super({ clock: world, grace: 10 ** 9, graceLogs: 10 ** 9 });
    this.#world = world;
    this.#bug = bug;
  }

  override async append(
    scope: Scope,
    taskId: string,
    expected: number,
    entries: readonly LogEntry[],
    right?: AppendRight,
  ): Promise<number> {
    const isUnfenced = this.#bug === "no fencing" && right !== undefined && "token" in right;
    const generation = await super.append(scope, taskId, expected, entries, isUnfenced ? undefined : right);
    const known = this.tasks.get(taskId) ?? { entries: [], holder: undefined };
    this.tasks.set(taskId, known);
    this.#check(taskId, known, expected, entries, right);
    known.entries.push(...entries);
    if (generation !== known.entries.length)
      this.#world.broken(`${taskId}: generation ${generation} has a gap`);
    if (right !== undefined && "lease" in right) known.holder = right.lease.token;
    if (isEnded(known)) known.holder = undefined;
    return generation;
  }

  override async read(scope: Scope, taskId: string, after: number, limit?: number) {
    const entries = await super.read(scope, taskId, after, limit);
    const isMissed =
      this.#bug === "gap in reads" && (entries?.length ?? 0) > 2 && this.#world.chance() < 0.05;
    return isMissed ? entries?.slice(1) : entries;
  }

  override async claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly TakenTask[]> {
    if (this.#bug === "never taken over") return [];
    const tasks = await super.claimTasks(agent, lease, limit);
    for (const { taskId } of tasks) this.#known(taskId).holder = lease.token;
    return tasks;
  }

  override async settleTask(task: HeldTask, generation: number): Promise<boolean> {
    const isSettled = await super.settleTask(task, generation);
    if (isSettled) this.#known(task.taskId).holder = undefined;
    return isSettled;
  }

  override async advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    const isLost = this.#bug === "lost cursor" && cursor.delivered > 1 && this.#world.chance() < 0.5;
    const ahead = isLost ? { ...cursor, delivered: cursor.delivered + 1 } : cursor;
    return super.advanceConfig(record, node, ahead);
  }

  /** The task as of a generation, as text. */
  textAt(taskId: string, generation: number): string {
    const { task } = foldLog(this.#known(taskId).entries.slice(0, generation));
    return JSON.stringify(task);
  }

  #known(taskId: string): Known {
    const known = this.tasks.get(taskId);
    if (known === undefined) throw new Error(`There is no task ${taskId}`);
    return known;
  }

  #check(
    taskId: string,
    known: Known,
    expected: number,
    entries: readonly LogEntry[],
    right: AppendRight | undefined,
  ): void {
    const world = this.#world;
    if (expected !== known.entries.length) world.broken(`${taskId}: an append behind ${expected} has a gap`);
    if (isEnded(known)) world.broken(`${taskId}: an append behind its end`);
    if (right !== undefined && "token" in right && right.token !== known.holder) {
      world.broken(`${taskId}: an append by ${right.token}, held by ${known.holder}`);
    }
    if (right !== undefined && "lease" in right && known.holder !== undefined) {
      world.broken(`${taskId}: taken by ${right.lease.token}, held by ${known.holder}`);
    }
    for (const { event, message } of entries) {
      const isWork = message === undefined && event.statusUpdate?.status.state !== "TASK_STATE_CANCELED";
      if (isWork && (right === undefined || "guest" in right))
        world.broken(`${taskId}: work without a lease`);
    }
  }
}

function isEnded({ entries }: Known): boolean {
  const event = entries.at(-1)?.event;
  const state = (event?.task ?? event?.statusUpdate)?.status.state;
  return state !== undefined && isTerminal(state);
}
