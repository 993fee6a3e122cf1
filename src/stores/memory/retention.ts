import type { Clock } from "../../async/clock.js";
import type { TaskState } from "../../protocol/model.js";
import type { MemoryTask } from "./memory-task.js";

const never = (): boolean => false;

/** Lowest size at which `push` drops the items that are gone. */
const MIN_PRUNED_SIZE = 64;

/**
 * A first-in-first-out queue in an array, which reclaims the space of removed items in batches. Items may be gone before their turn: then
 * they are skipped when it comes, or dropped in batches before.
 */
export class Queue<Item> {
  readonly #isGone: (item: Item) => boolean;
  #items: Item[] = [];
  #head = 0;
  /** Size at which `push` next drops the items that are gone. */
  #pruneAt = MIN_PRUNED_SIZE;
  /** Whether items may be gone that are not dropped yet. */
  #mayHaveGone = false;

  /** @param isGone whether an item is skipped; no item by default */
  constructor(isGone: (item: Item) => boolean = never) {
    this.#isGone = isGone;
  }

  /** Number of items, including those that are gone and not dropped yet. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  /** The first item that is not gone; undefined when there is none. */
  peek(): Item | undefined {
    for (;;) {
      const item = this.#items[this.#head];
      if (item === undefined || !this.#isGone(item)) return item;
      this.#advance();
    }
  }

  /** Adds an item at the end. */
  push(item: Item): void {
    if (this.size >= this.#pruneAt) this.#prune();
    // Reclaims the space before the head once it exceeds 32 items and half of the array.
    else if (this.#head > 32 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    this.#items.push(item);
  }

  /** Must be called when an item that may be in the queue is gone, so that {@link exceeds} does not count it. */
  itemGone(): void {
    this.#mayHaveGone = true;
  }

  /** Whether there are more items than a limit. */
  exceeds(limit: number): boolean {
    if (this.size > limit && this.#mayHaveGone) this.#prune();
    return this.size > limit;
  }

  /** Removes and returns the first item that is not gone; undefined when there is none. */
  shift(): Item | undefined {
    const item = this.peek();
    if (item !== undefined) this.#advance();
    return item;
  }

  #prune(): void {
    this.#items = this.#items.slice(this.#head).filter((one) => !this.#isGone(one));
    this.#head = 0;
    this.#pruneAt = Math.max(MIN_PRUNED_SIZE, 2 * this.#items.length);
    this.#mayHaveGone = false;
  }

  #advance(): void {
    this.#head += 1;
    if (this.#head < this.#items.length) return;
    this.#items = [];
    this.#head = 0;
  }
}

/** How long a memory store keeps ended tasks and their entries. By default it keeps the tasks until it needs their memory. */
export interface RetentionOptions {
  /**
   * Milliseconds for which the entries of an ended log are kept, within the limits of `graceLogs`; 60,000 by default. They are kept longer
   * while a reader is attached. The task itself stays when they are dropped. When a task is deleted, its entries are deleted with it.
   */
  readonly grace?: number | undefined;
  /**
   * Maximum number of ended logs whose entries are kept during `grace`, of tasks that had an attached reader before their end or have push
   * configs at it; 1000 by default. Beyond it the entries of the log that ended first are dropped early. Of all other logs the store keeps
   * the entries of at most 8. Logs with an attached reader may exceed both limits, which bound the memory of a burst of tasks.
   */
  readonly graceLogs?: number | undefined;
  /**
   * Milliseconds by state; a state without a value has no limit. An ended task is deleted this long after its end. A task in another state
   * that has had no entry for this long is stuck: it ends as FAILED, and is deleted like any failed task. The push configs of a task are
   * deleted with it, so its webhooks do not receive the events that are still undelivered then.
   */
  readonly ttl?: Readonly<Partial<Record<TaskState, number>>> | undefined;
  /**
   * Maximum number of tasks; no limit by default. Beyond it the tasks that ended first are deleted. Open tasks are not deleted for it, nor
   * is a task that has just ended, until another task is written.
   */
  readonly maxTasks?: number | undefined;
}

/** The operations of the store that {@link Retention} calls. */
interface RetentionActions {
  compact(task: MemoryTask): void;
  fail(task: MemoryTask): void;
  evict(task: MemoryTask): void;
  size(): number;
}

/** Maximum number of ended logs whose entries are kept, of tasks that were not `followed` when they ended. */
const UNFOLLOWED_LOGS = 8;

/** Milliseconds from a search for stuck tasks to the next, at least, unless a task that was written since is due earlier. */
const CHECK_INTERVAL = 1000;

const isGone = (task: MemoryTask): boolean => task.gone;

/** Applies the options: compacts logs, fails stuck tasks and deletes old ones. One timer serves all tasks. */
export class Retention {
  readonly #grace: number;
  readonly #graceLogs: number;
  readonly #ttl: Readonly<Partial<Record<TaskState, number>>>;
  readonly #maxTasks: number;
  readonly #clock: Clock;
  readonly #actions: RetentionActions;
  /** Tasks whose logs await compaction, in the order in which they ended: those that were `followed` when they ended. */
  #followed = new Queue<MemoryTask>(isGone);
  /** The same for all other tasks. */
  #unfollowed = new Queue<MemoryTask>(isGone);
  /** Ended tasks by state, in the order in which they ended. Without `maxTasks`, states without a `ttl` are missing. */
  #ended = new Map<TaskState, Queue<MemoryTask>>();
  /** Tasks that can get stuck, and the time of the next search among them. */
  readonly #open = new Set<MemoryTask>();
  #nextCheck = Number.POSITIVE_INFINITY;
  /** Number of readers attached to a log. */
  #readers = new Map<MemoryTask, number>();
  /** Tasks whose logs are compacted when their last reader is detached. */
  readonly #overdue = new Set<MemoryTask>();
  /** When the timer fires; `Infinity` without one. */
  #due = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: RetentionOptions, clock: Clock, actions: RetentionActions) {
    this.#grace = options.grace ?? 60_000;
    this.#graceLogs = options.graceLogs ?? 1000;
    this.#ttl = options.ttl ?? {};
    this.#maxTasks = options.maxTasks ?? Number.POSITIVE_INFINITY;
    this.#clock = clock;
    this.#actions = actions;
  }

  /** Called after entries were appended to a task. */
  written(task: MemoryTask): void {
    const { state } = task.status;
    const ttl = this.#ttl[state];
    if (task.ended) this.#hasEnded(task, state, ttl);
    else if (ttl !== undefined) {
      task.at = this.#clock.now();
      this.#open.add(task);
      this.#nextCheck = Math.min(this.#nextCheck, task.at + ttl);
      this.#arm(this.#nextCheck);
    } else this.#open.delete(task);
    while (this.#actions.size() > this.#maxTasks && this.#evictOldest(task));
  }

  /** Called before a task is deleted. */
  deleted(task: MemoryTask): void {
    if (task.isCompacted) return;
    this.#followed.itemGone();
    this.#unfollowed.itemGone();
  }

  /** Attaches a reader to a log; the returned function detaches it, and may be called more than once. */
  hold(task: MemoryTask): () => void {
    task.followed = true;
    const readers = this.#readers;
    readers.set(task, (readers.get(task) ?? 0) + 1);
    let done = false;
    return () => {
      if (done) return;
      done = true;
      const left = (readers.get(task) ?? 1) - 1;
      if (left > 0) readers.set(task, left);
      else {
        readers.delete(task);
        if (this.#overdue.delete(task) && !task.gone) this.#actions.compact(task);
      }
    };
  }

  /** Performs the actions that are due, and sets the timer for the next one. */
  sweep(): void {
    const now = this.#clock.now();
    this.#disarm();
    this.#compactUntil(now - this.#grace, this.#followed);
    this.#compactUntil(now - this.#grace, this.#unfollowed);
    if (this.#nextCheck <= now) this.#failStuck(now);
    for (const [state, queue] of this.#ended) {
      const ttl = this.#ttl[state] ?? Number.POSITIVE_INFINITY;
      for (let task = queue.peek(); task && task.at + ttl <= now; task = queue.peek()) {
        queue.shift();
        this.#actions.evict(task);
      }
      this.#arm((queue.peek()?.at ?? Number.POSITIVE_INFINITY) + ttl);
    }
    for (const logs of [this.#followed, this.#unfollowed])
      this.#arm((logs.peek()?.at ?? Number.POSITIVE_INFINITY) + this.#grace);
    this.#arm(this.#nextCheck);
  }

  /** Forgets all tasks, and cancels the timer. */
  clear(): void {
    this.#disarm();
    this.#followed = new Queue<MemoryTask>(isGone);
    this.#unfollowed = new Queue<MemoryTask>(isGone);
    this.#ended = new Map();
    this.#open.clear();
    this.#nextCheck = Number.POSITIVE_INFINITY;
    this.#readers = new Map();
    this.#overdue.clear();
  }

  #hasEnded(task: MemoryTask, state: TaskState, ttl: number | undefined): void {
    task.at = this.#clock.now();
    this.#open.delete(task);
    const logs = task.followed ? this.#followed : this.#unfollowed;
    const max = task.followed ? this.#graceLogs : Math.min(this.#graceLogs, UNFOLLOWED_LOGS);
    logs.push(task);
    if (logs.exceeds(max)) this.#compact(logs.shift());
    this.#arm(task.at + this.#grace);
    if (ttl !== undefined) this.#arm(task.at + ttl);
    else if (this.#maxTasks === Number.POSITIVE_INFINITY) return;
    const queue = this.#ended.get(state) ?? new Queue<MemoryTask>(isGone);
    this.#ended.set(state, queue);
    queue.push(task);
  }

  /** Removes the logs from a queue that ended at or before a time, in milliseconds since 1970, and compacts them. */
  #compactUntil(time: number, logs: Queue<MemoryTask>): void {
    for (let task = logs.peek(); task && task.at <= time; task = logs.peek()) this.#compact(logs.shift());
  }

  /** Compacts a log, or leaves that to the last reader that is detached. */
  #compact(task: MemoryTask | undefined): void {
    if (task === undefined) return;
    if (this.#readers.has(task)) this.#overdue.add(task);
    else this.#actions.compact(task);
  }

  #failStuck(now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (const task of this.#open) {
      const due = task.at + (this.#ttl[task.status.state] ?? Number.POSITIVE_INFINITY);
      if (due <= now) this.#actions.fail(task);
      else next = Math.min(next, due);
    }
    this.#nextCheck = Math.max(next, now + CHECK_INTERVAL);
  }

  /**
   * @param written is kept, because its readers have not been notified of its last entry yet
   * @returns whether a task was deleted
   */
  #evictOldest(written: MemoryTask): boolean {
    let oldest: Queue<MemoryTask> | undefined;
    let before = Number.POSITIVE_INFINITY;
    for (const queue of this.#ended.values()) {
      const task = queue.peek();
      if (task === undefined || task === written || task.at >= before) continue;
      oldest = queue;
      before = task.at;
    }
    const task = oldest?.shift();
    if (task !== undefined) this.#actions.evict(task);
    return task !== undefined;
  }

  #arm(due: number): void {
    if (due >= this.#due) return;
    this.#disarm();
    this.#due = due;
    this.#cancel = this.#clock.schedule(due - this.#clock.now(), () => this.sweep());
  }

  #disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#due = Number.POSITIVE_INFINITY;
  }
}
