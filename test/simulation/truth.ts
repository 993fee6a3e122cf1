import { isTerminal } from "../../src/protocol/lifecycle.js";
import type { AppendRight, LeaseStore } from "../../src/stores/lease-store.js";
import type { PushStore } from "../../src/stores/push-store.js";
import type { LogEntry, TaskStore } from "../../src/stores/task-store.js";
import { foldLog } from "../../src/task-log/fold.js";
import type { NodeStore } from "./node.js";
import type { World } from "./world.js";

/** Mistakes that are put in on purpose, to see that they are found. */
export type Bug = "no fencing" | "lost cursor" | "gap in reads" | "never taken over";

/** What is known of a task besides what the store says. */
export interface Known {
  readonly entries: LogEntry[];
  /** Who may hold it, undefined being nobody: one, unless an answer was lost between the store and its database. */
  holders: Set<string | undefined>;
}

/**
 * Sees everything that is committed, in order, in whichever store it is, and keeps its own books: what it finds there does not
 * rest on the store being right.
 */
export class Truth {
  readonly tasks = new Map<string, Known>();
  readonly #world: World;
  readonly #bug: Bug | undefined;
  readonly #isSure: boolean;

  /** @param isSure whether the store always knows what came of its calls; one that asks a server again may not */
  constructor(world: World, { bug, isSure }: { readonly bug?: Bug | undefined; readonly isSure: boolean }) {
    this.#world = world;
    this.#bug = bug;
    this.#isSure = isSure;
  }

  /** A store, with an eye on what is done there. */
  over(store: NodeStore): NodeStore {
    const seen: Partial<NodeStore> = {
      append: (...parameters: Parameters<LeaseStore["append"]>) => this.#append(store, parameters),
      read: (...parameters) => this.#read(store, parameters),
      claimTasks: (...parameters) => this.#claim(store, parameters),
      settleTask: (...parameters) => this.#settle(store, parameters),
      advanceConfig: (...parameters) => this.#advance(store, parameters),
    };
    return new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(seen, name) ?? Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  async #append(
    store: NodeStore,
    [scope, taskId, expected, entries, right]: Parameters<LeaseStore["append"]>,
  ): Promise<number> {
    const isUnfenced = this.#bug === "no fencing" && right !== undefined && "token" in right;
    const generation = await store.append(scope, taskId, expected, entries, isUnfenced ? undefined : right);
    const known = this.tasks.get(taskId) ?? { entries: [], holders: new Set([undefined]) };
    this.tasks.set(taskId, known);
    this.#check(taskId, known, expected, entries, right);
    known.entries.push(...entries);
    if (generation !== known.entries.length)
      this.#world.broken(`${taskId}: generation ${generation} has a gap`);
    if (right !== undefined && "lease" in right) known.holders = new Set([right.lease.token]);
    if (right !== undefined && "token" in right) known.holders = new Set([right.token]);
    if (isEnded(known)) known.holders = new Set([undefined]);
    return generation;
  }

  async #read(store: NodeStore, parameters: Parameters<TaskStore["read"]>) {
    const entries = await store.read(...parameters);
    const isMissed =
      this.#bug === "gap in reads" && (entries?.length ?? 0) > 2 && this.#world.chance() < 0.05;
    return isMissed ? entries?.slice(1) : entries;
  }

  async #claim(store: NodeStore, [agent, lease, limit]: Parameters<LeaseStore["claimTasks"]>) {
    if (this.#bug === "never taken over") return [];
    const tasks = await store.claimTasks(agent, lease, limit);
    // A claim counts for the claimer also when it may have been undone.
    for (const { taskId } of tasks) {
      const known = this.#known(taskId);
      known.holders = new Set([lease.token, ...(this.#isSure ? [] : known.holders)]);
    }
    return tasks;
  }

  async #settle(store: NodeStore, [task, generation]: Parameters<LeaseStore["settleTask"]>) {
    const isSettled = await store.settleTask(task, generation);
    // A lease that is not there may be one that was given back by the same call, asked again.
    if (isSettled) this.#known(task.taskId).holders = new Set([undefined]);
    else if (!this.#isSure) this.#known(task.taskId).holders.add(undefined);
    return isSettled;
  }

  #advance(store: NodeStore, [record, node, cursor]: Parameters<PushStore["advanceConfig"]>) {
    const isLost = this.#bug === "lost cursor" && cursor.delivered > 1 && this.#world.chance() < 0.5;
    const ahead = isLost ? { ...cursor, delivered: cursor.delivered + 1 } : cursor;
    return store.advanceConfig(record, node, ahead);
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
    const holders = [...known.holders].join(" or ");
    if (right !== undefined && "token" in right && !known.holders.has(right.token)) {
      world.broken(`${taskId}: an append by ${right.token}, held by ${holders}`);
    }
    if (right !== undefined && "lease" in right && !known.holders.has(undefined)) {
      world.broken(`${taskId}: taken by ${right.lease.token}, held by ${holders}`);
    }
    for (const { event, message } of entries) {
      const isWork = message === undefined && event.statusUpdate?.status.state !== "TASK_STATE_CANCELED";
      if (isWork && (right === undefined || "external" in right))
        world.broken(`${taskId}: work without a lease`);
    }
  }
}

function isEnded({ entries }: Known): boolean {
  const event = entries.at(-1)?.event;
  const state = (event?.task ?? event?.statusUpdate)?.status.state;
  return state !== undefined && isTerminal(state);
}
