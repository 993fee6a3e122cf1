import { setMaxListeners } from "node:events";
import { isSettled, isTerminal } from "../../protocol/lifecycle.js";
import type { SendMessageConfiguration, StreamResponse, TaskState } from "../../protocol/model.js";
import type { StoredEntry, TaskSnapshot } from "../../stores/task-store.js";
import { foldLog } from "../../task-log/fold.js";
import { follow } from "../../task-log/follow.js";
import { limitHistory } from "../../task-log/history.js";
import { tag } from "../../task-log/log.js";
import type { TaskLog } from "../task-log.js";

/** One reader of one task. */
export interface Subscriptions {
  readonly log: TaskLog;
  /** Where the reader begins. */
  readonly snapshot: TaskSnapshot;
  /** Ends the stream when it aborts. */
  readonly signal: AbortSignal;
  /** End the stream also when the task waits for input: the caller has to act next (OP-STREAM-08). */
  readonly untilInput: boolean;
}

/** Never aborts: for waits that end with the task. */
const forever = new AbortController().signal;
// Any number of callers may be waiting, and each is gone when its task is done.
setMaxListeners(0, forever);

/**
 * The stream of a task: its snapshot, then every event behind it, each tagged with its generation. A cursor on the log, so
 * nothing can fall between snapshot and live events, and a slow reader is merely behind (§3.1.6). An iterator by hand and not
 * a generator, because most events are there when they are asked for: they came with the one before.
 */
export class TaskEvents implements AsyncIterableIterator<StreamResponse> {
  readonly #untilInput: boolean;
  readonly #batches: AsyncGenerator<readonly StoredEntry[]>;
  #entries: readonly StoredEntry[];
  /** Place of the next event among the entries. */
  #at = 0;
  /** Nothing comes behind the entries. */
  #isLast = false;

  constructor(
    { log, snapshot, signal, untilInput }: Subscriptions,
    configuration?: SendMessageConfiguration,
  ) {
    const { task, generation } = snapshot;
    this.#untilInput = untilInput;
    this.#batches = follow(log.store, log.scope, log.taskId, generation, signal);
    this.#entries = [{ generation, event: { task: limitHistory(task, configuration?.historyLength) } }];
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamResponse, undefined>> {
    const entry = this.#entries[this.#at];
    return entry === undefined ? this.#read() : Promise.resolve({ done: false, value: this.#take(entry) });
  }

  async return(): Promise<IteratorResult<StreamResponse, undefined>> {
    this.#isLast = true;
    this.#entries = [];
    await this.#batches.return(undefined);
    return { done: true, value: undefined };
  }

  async #read(): Promise<IteratorResult<StreamResponse, undefined>> {
    if (this.#isLast) return this.return();
    const { value: entries = [] } = await this.#batches.next();
    const [entry] = entries;
    if (entry === undefined || this.#isLast) return this.return();
    this.#entries = entries;
    this.#at = 0;
    return { done: false, value: this.#take(entry) };
  }

  #take({ event, generation }: StoredEntry): StreamResponse {
    this.#at += 1;
    const status = event.task?.status ?? event.statusUpdate?.status;
    this.#isLast ||= status !== undefined && this.#ends(status.state);
    // A reader may wait for hours. It keeps no events that it has been given: the first of them is the whole task.
    if (this.#isLast || this.#at === this.#entries.length) {
      this.#entries = [];
      this.#at = 0;
    }
    return tag(event, generation);
  }

  #ends(state: TaskState): boolean {
    return isTerminal(state) || (this.#untilInput && state === "TASK_STATE_INPUT_REQUIRED");
  }
}

/**
 * Resolves when the task has reached a terminal or interrupted state at generation `from` or later (EXEC-01, EXEC-05).
 * Resolves as well when its log is gone.
 */
export async function untilSettled({ store, scope, taskId }: TaskLog, from: number): Promise<void> {
  for await (const entries of follow(store, scope, taskId, from - 1, forever)) {
    for (const { event } of entries) {
      const state = (event.task ?? event.statusUpdate)?.status.state;
      if (state !== undefined && isSettled(state)) return;
    }
  }
}

/**
 * The task as of a generation, for readers that begin there. A log that was compacted has only its last state, which then
 * stands for all earlier ones.
 */
export async function taskAt(log: TaskLog, generation: number, latest: TaskSnapshot): Promise<TaskSnapshot> {
  if (latest.generation === generation) return latest;
  const entries = await log.store.read(log.scope, log.taskId, 0, generation);
  return entries === undefined ? latest : foldLog(entries);
}
