import { runtime } from "#runtime";
import { isSettled, isTerminal } from "../../protocol/lifecycle.js";
import type { Message, StreamResponse, TaskState } from "../../protocol/model.js";
import type { Scope, StoredEntry, TaskSnapshot } from "../../stores/task-store.js";
import { follow, type LogCursor } from "../../task-log/follow.js";
import { limitHistory } from "../../task-log/history.js";
import { tag } from "../../task-log/log.js";
import type { ArrivalListener } from "../../task-log/log-feed.js";
import type { TaskLog } from "../task-log.js";

/** Where a stream of a task starts and where it ends: its snapshot is followed by every later event. */
export interface TaskStreamStart {
  readonly log: TaskLog;
  /** The task with which the stream begins. */
  readonly snapshot: TaskSnapshot;
  /** Maximum number of messages of the snapshot's history to send, the newest ones; absent for all (§3.2.4). */
  readonly historyLength?: number | undefined;
  /** Ends the stream when it aborts. */
  readonly signal: AbortSignal;
  /** Whether the stream also ends with the state INPUT_REQUIRED, because the caller has to act next (§3.1.2). */
  readonly untilInput: boolean;
}

type Result = IteratorResult<StreamResponse, undefined>;
type Entry = Pick<StoredEntry, "event"> & Partial<StoredEntry>;

const none: readonly Entry[] = [];

let unaborted: AbortSignal | undefined;

/** A signal that never aborts. Created on first use, because Cloudflare Workers do not allow an AbortController at module scope. */
function forever(): AbortSignal {
  if (unaborted === undefined) {
    unaborted = new AbortController().signal;
    // Any number of callers may wait at the same time.
    runtime.allowListeners(unaborted);
  }
  return unaborted;
}

const alreadyOpen = (): never => {
  throw new TypeError("The stream was opened before");
};

/**
 * The stream of a task (§3.1.2, §3.1.6): the task and then every later event until the task ends or, with `untilInput`, is in state
 * INPUT_REQUIRED; or a single message. Each event of a task is tagged with its generation.
 *
 * The stream also ends, possibly before the task does, when the signal aborts, when the stream is closed, or when the store no longer has the log
 * or the position in it. If the store fails, the read rejects with its error. Only one read may be pending at a time.
 *
 * The stream opens when its first event is read. A failure to open it rejects that read, so that a refused request gets an ordinary
 * error and no stream. The events come from a cursor on the log, so none is lost between the snapshot and live events. The class is an
 * iterator and not a generator for two reasons: an event that was fetched with an earlier one needs no promise, and a stream can be closed
 * while it waits.
 */
export class SubscriberStream implements AsyncIterableIterator<StreamResponse> {
  /** Events that arrive while no read is pending stay in the log until they are read. */
  readonly isKept = true;
  #open: () => Promise<TaskStreamStart | { readonly reply: Message }>;
  #opening: Promise<void> | undefined;
  /** The cursor on the log; undefined before the stream is open, and for a stream of one message. */
  #batches: LogCursor<Scope> | undefined;
  #entries: readonly Entry[] = none;
  /** Index of the next event among the entries. */
  #at = 0;
  #untilInput = false;
  /** No event follows the entries. */
  #isLast = false;

  /** @param open called when the first event is read, and only then; that read rejects with the error that it throws */
  constructor(open: () => Promise<TaskStreamStart | { readonly reply: Message }>) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event, if it was read with an earlier one or a listener was notified of it; otherwise undefined. */
  ready(): StreamResponse | undefined {
    if (this.#at === this.#entries.length && !this.#isLast) {
      this.#entries = this.#batches?.ready() ?? none;
      this.#at = 0;
    }
    const entry = this.#entries[this.#at];
    return entry && this.#take(entry);
  }

  /** Whether the last event was returned, or the stream was closed. */
  get isOver(): boolean {
    return this.#isLast && this.#at === this.#entries.length;
  }

  /** Registers a listener for the next event; returns false, without doing so, if {@link next} must be called instead. */
  listen(listener: ArrivalListener): boolean {
    if (this.#isLast || this.#at < this.#entries.length) return false;
    return this.#batches?.listen(listener) ?? false;
  }

  next(): Promise<Result> {
    const value = this.ready();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#isLast) return this.return();
    return this.#batches === undefined ? this.#first() : this.#batches.next().then(this.#fetched);
  }

  async return(): Promise<Result> {
    this.#isLast = true;
    this.#entries = none;
    this.#at = 0;
    await this.#opening?.catch(() => undefined);
    await this.#batches?.return();
    return { done: true, value: undefined };
  }

  async #first(): Promise<Result> {
    this.#opening ??= this.#begin();
    await this.#opening;
    return this.#one();
  }

  readonly #fetched = ({
    value: entries = [],
  }: IteratorResult<readonly Entry[], undefined>): Result | Promise<Result> => {
    if (!this.#isLast) this.#entries = entries;
    this.#at = 0;
    return this.#one();
  };

  #one(): Result | Promise<Result> {
    const value = this.ready();
    return value === undefined ? this.return() : { done: false, value };
  }

  async #begin(): Promise<void> {
    const open = this.#open;
    // The function holds the request, and the stream may stay open for hours.
    this.#open = alreadyOpen;
    const start = await open();
    if (this.#isLast) return;
    if ("reply" in start) {
      this.#entries = [{ event: { message: start.reply } }];
      return;
    }
    const { log, snapshot, historyLength, signal, untilInput } = start;
    const { task, generation } = snapshot;
    this.#untilInput = untilInput;
    this.#batches = follow(log.store, log.scope, log.taskId, generation, signal);
    this.#entries = [{ generation, event: { task: limitHistory(task, historyLength) } }];
  }

  #take({ event, generation }: Entry): StreamResponse {
    this.#at += 1;
    const status = event.task?.status ?? event.statusUpdate?.status;
    this.#isLast ||= event.message !== undefined || (status !== undefined && this.#ends(status.state));
    // Events are dropped once all are returned: the next one may be hours away, and the first one is the whole task.
    if (this.#isLast || this.#at === this.#entries.length) {
      this.#entries = none;
      this.#at = 0;
    }
    return generation === undefined ? event : tag(event, generation);
  }

  #ends(state: TaskState): boolean {
    return isTerminal(state) || (this.#untilInput && state === "TASK_STATE_INPUT_REQUIRED");
  }
}

/**
 * Resolves when the task has reached a terminal or interrupted state at generation `from` or later, or when the store no longer has
 * these entries (§3.2.2).
 * @throws what the store throws
 */
export async function untilSettled({ store, scope, taskId }: TaskLog, from: number): Promise<void> {
  for await (const entries of follow(store, scope, taskId, from - 1, forever())) {
    for (const { event } of entries) {
      const state = (event.task ?? event.statusUpdate)?.status.state;
      if (state !== undefined && isSettled(state)) return;
    }
  }
}
