import type { Clock } from "../../async/clock.js";
import type { TaskState } from "../../protocol/model.js";
import type { MemoryTask } from "./memory-task.js";

/** Nothing is gone unless somebody says so. */
const stays = (): boolean => false;

/** Items that are gone are looked for once a queue has this many, and then whenever it has doubled. */
const FEW = 64;

/**
 * First in, first out, in an array whose emptied front is cut off now and then. Items may be gone before it is their turn: these are
 * passed over, and let go of before they are more than the others.
 */
export class Queue<Item> {
  readonly #isGone: (item: Item) => boolean;
  #items: Item[] = [];
  #head = 0;
  /** With how many items to look for those that are gone. */
  #many = FEW;

  /** @param isGone whether an item is to be passed over */
  constructor(isGone: (item: Item) => boolean = stays) {
    this.#isGone = isGone;
  }

  /** How many items there are; those that are gone count until they are let go of. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  peek(): Item | undefined {
    for (;;) {
      const item = this.#items[this.#head];
      if (item === undefined || !this.#isGone(item)) return item;
      this.#advance();
    }
  }

  push(item: Item): void {
    if (this.size >= this.#many) {
      this.#items = this.#items.slice(this.#head).filter((one) => !this.#isGone(one));
      this.#head = 0;
      this.#many = Math.max(FEW, 2 * this.#items.length);
    }
    // Before the array would grow: so the items before the head are never more than those after it.
    else if (this.#head > 32 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.peek();
    if (item !== undefined) this.#advance();
    return item;
  }

  #advance(): void {
    this.#head += 1;
    if (this.#head < this.#items.length) return;
    this.#items = [];
    this.#head = 0;
  }
}

/** How long a memory store keeps what. Without any of it, tasks stay as long as the process. */
export interface RetentionOptions {
  /** Milliseconds for which the entries of an ended log can still be read; the task itself stays. Default 60 000. */
  readonly grace?: number;
  /**
   * How many ended logs are kept in that time, the newest; the entries of further ones go early, except those that a reader
   * is attached to. Bounds what a burst of tasks costs. Default 1000.
   */
  readonly graceLogs?: number;
  /**
   * Milliseconds by state. An ended task is deleted that long after its end. A task in another state that has had no entry
   * for that long is stuck: it is failed, and then ages as a failed task does.
   */
  readonly ttl?: Readonly<Partial<Record<TaskState, number>>>;
  /** How many tasks the store holds; beyond it the task that ended first is deleted. Tasks that have not ended are never. */
  readonly maxTasks?: number;
}

/** What retention decides and the store does. */
interface RetentionActions {
  compact(task: MemoryTask): void;
  fail(task: MemoryTask): void;
  evict(task: MemoryTask): void;
  size(): number;
}

/** Stuck tasks are looked for at most this often, in milliseconds. */
const CHECK_INTERVAL = 1000;

/** The store may delete tasks for reasons of its own. */
const isGone = (task: MemoryTask): boolean => task.gone;

/** Decides when logs are compacted and tasks go. One timer for all of them, set only while something is due. */
export class Retention {
  readonly #grace: number;
  readonly #graceLogs: number;
  readonly #ttl: Readonly<Partial<Record<TaskState, number>>>;
  readonly #maxTasks: number;
  readonly #clock: Clock;
  readonly #custody: RetentionActions;
  /** Ended logs with entries, in the order of their ends. */
  #recent = new Queue<MemoryTask>(isGone);
  /** Ended tasks by their state, in the order of their ends; states that nothing is ever deleted in are missing. */
  #ended = new Map<TaskState, Queue<MemoryTask>>();
  /** Tasks that can get stuck, and when to look at them next. */
  readonly #open = new Set<MemoryTask>();
  #patrol = Number.POSITIVE_INFINITY;
  /** How many readers are attached to a log. */
  #held = new Map<MemoryTask, number>();
  /** Logs that would have been compacted, were nobody attached to them. */
  readonly #overdue = new Set<MemoryTask>();
  #due = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: RetentionOptions, clock: Clock, custody: RetentionActions) {
    this.#grace = options.grace ?? 60_000;
    this.#graceLogs = options.graceLogs ?? 1000;
    this.#ttl = options.ttl ?? {};
    this.#maxTasks = options.maxTasks ?? Number.POSITIVE_INFINITY;
    this.#clock = clock;
    this.#custody = custody;
  }

  /** A task has got entries. */
  written(task: MemoryTask): void {
    const { state } = task.status;
    const ttl = this.#ttl[state];
    if (task.ended) this.#hasEnded(task, state, ttl);
    else if (ttl !== undefined) {
      task.at = this.#clock.now();
      this.#open.add(task);
      this.#patrol = Math.min(this.#patrol, task.at + ttl);
      this.#arm(this.#patrol);
    } else this.#open.delete(task);
    while (this.#custody.size() > this.#maxTasks && this.#evictOldest());
  }

  /** A reader is attached to the log; the result ends that. */
  hold(task: MemoryTask): () => void {
    const held = this.#held;
    held.set(task, (held.get(task) ?? 0) + 1);
    let done = false;
    return () => {
      if (done) return;
      done = true;
      const left = (held.get(task) ?? 1) - 1;
      if (left > 0) held.set(task, left);
      else {
        held.delete(task);
        if (this.#overdue.delete(task) && !task.gone) this.#custody.compact(task);
      }
    };
  }

  /** Does what is due, and sets the timer for what comes next. */
  sweep(): void {
    const now = this.#clock.now();
    this.#disarm();
    for (let task = this.#recent.peek(); task && task.at + this.#grace <= now; task = this.#recent.peek()) {
      this.#recent.shift();
      this.#compact(task);
    }
    if (this.#patrol <= now) this.#failStuck(now);
    for (const [state, queue] of this.#ended) {
      const ttl = this.#ttl[state] ?? Number.POSITIVE_INFINITY;
      for (let task = queue.peek(); task && task.at + ttl <= now; task = queue.peek()) {
        queue.shift();
        this.#custody.evict(task);
      }
      this.#arm((queue.peek()?.at ?? Number.POSITIVE_INFINITY) + ttl);
    }
    this.#arm((this.#recent.peek()?.at ?? Number.POSITIVE_INFINITY) + this.#grace);
    this.#arm(this.#patrol);
  }

  /** Forgets all tasks and the timer. */
  clear(): void {
    this.#disarm();
    this.#recent = new Queue<MemoryTask>(isGone);
    this.#ended = new Map();
    this.#open.clear();
    this.#patrol = Number.POSITIVE_INFINITY;
    this.#held = new Map();
    this.#overdue.clear();
  }

  #hasEnded(task: MemoryTask, state: TaskState, ttl: number | undefined): void {
    task.at = this.#clock.now();
    this.#open.delete(task);
    this.#recent.push(task);
    if (this.#recent.size > this.#graceLogs) this.#compact(this.#recent.shift());
    this.#arm(task.at + this.#grace);
    if (ttl !== undefined) this.#arm(task.at + ttl);
    else if (this.#maxTasks === Number.POSITIVE_INFINITY) return;
    const queue = this.#ended.get(state) ?? new Queue<MemoryTask>(isGone);
    this.#ended.set(state, queue);
    queue.push(task);
  }

  #compact(task: MemoryTask | undefined): void {
    if (task === undefined) return;
    if (this.#held.has(task)) this.#overdue.add(task);
    else this.#custody.compact(task);
  }

  #failStuck(now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (const task of this.#open) {
      const due = task.at + (this.#ttl[task.status.state] ?? Number.POSITIVE_INFINITY);
      if (due <= now) this.#custody.fail(task);
      else next = Math.min(next, due);
    }
    this.#patrol = Math.max(next, now + CHECK_INTERVAL);
  }

  #evictOldest(): boolean {
    let oldest: Queue<MemoryTask> | undefined;
    for (const queue of this.#ended.values()) {
      const at = queue.peek()?.at ?? Number.POSITIVE_INFINITY;
      if (at < (oldest?.peek()?.at ?? Number.POSITIVE_INFINITY)) oldest = queue;
    }
    const task = oldest?.shift();
    if (task !== undefined) this.#custody.evict(task);
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
