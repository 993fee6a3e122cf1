import { Deadlines } from "../../async/deadlines.js";
import { LinkedList } from "../../collections/linked-list.js";
import type { Scope } from "../../stores/task-store.js";
import { follow, type LogCursor } from "../../task-log/follow.js";
import type { ArrivalListener } from "../../task-log/log-feed.js";
import type { TaskLog } from "../task-log.js";

/** Default of the time limit, in seconds: shorter than the 30 s after which some proxies give up. */
const LIMIT = 25;

/** A read that waits for a later generation of a task. */
interface WaitingRead {
  readonly log: TaskLog;
  /** The generation of the task when the read began. */
  readonly from: number;
  /** The generation beyond which the caller wants the task. */
  readonly seen: number;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
}

/**
 * Reads that wait until their task is beyond a generation. Each costs a cursor on the log of its task, which an append to that log wakes.
 * All share the timer of their time limit.
 */
export class LongPolls {
  readonly #deadlines: Deadlines | undefined;
  readonly #open = new LinkedList<LongPoll>();
  #isClosed = false;

  /** @param limit seconds after which a wait ends in any case; 25 by default, `Infinity` for no limit */
  constructor(limit = LIMIT) {
    this.#deadlines = limit === Number.POSITIVE_INFINITY ? undefined : new Deadlines(limit);
  }

  /** Number of reads that wait. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Resolves when the log is beyond the generation that the caller has seen, has ended or is no longer stored, when the time limit is over,
   * when the caller has gone away, or when the server stops.
   * @throws what the store throws
   */
  wait(awaited: WaitingRead): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const poll = new LongPoll(awaited, (failure) => {
        this.#open.remove(link);
        countdown?.end();
        if (failure === undefined) resolve();
        else reject(failure.error);
      });
      const countdown = this.#deadlines?.countdown(poll.end);
      const link = this.#open.add(poll);
      countdown?.begin();
      poll.begin();
    });
  }

  /** Ends the wait of all reads. Later ones do not wait. */
  close(): void {
    this.#isClosed = true;
    for (const poll of this.#open) poll.end();
  }
}

/** One waiting read: a cursor that passes over the entries of the log until one is beyond what the caller has seen. */
class LongPoll implements ArrivalListener {
  readonly #cursor: LogCursor<Scope>;
  readonly #caller: AbortSignal;
  readonly #seen: number;
  #done: ((failure?: { readonly error: unknown }) => void) | undefined;

  constructor(
    { log, from, seen, signal }: WaitingRead,
    done: (failure?: { readonly error: unknown }) => void,
  ) {
    this.#cursor = follow(log.store, log.scope, log.taskId, from, signal);
    this.#caller = signal;
    this.#seen = seen;
    this.#done = done;
  }

  begin(): void {
    if (this.#caller.aborted) this.end();
    this.#follow();
  }

  /** May be called during an append, so the entry is taken only after this call has returned. */
  arrived(isLast: boolean): void {
    if (isLast) this.end();
    else queueMicrotask(this.#take);
  }

  /** Ends the wait; later calls do nothing. */
  readonly end = (): void => this.#finish();

  #finish(failure?: { readonly error: unknown }): void {
    const done = this.#done;
    if (done === undefined) return;
    this.#done = undefined;
    this.#caller.removeEventListener("abort", this.end);
    void this.#cursor.return();
    done(failure);
  }

  readonly #take = (): void => {
    if (this.#done === undefined) return;
    const last = this.#cursor.ready()?.at(-1);
    if (last !== undefined && last.generation > this.#seen) this.end();
    else this.#follow();
  };

  #follow(): void {
    if (this.#done === undefined || this.#cursor.listen(this)) return;
    // The cursor ends when the caller goes away, but `next` settles only when a pending call to the store does.
    this.#caller.addEventListener("abort", this.end, { once: true });
    this.#cursor.next().then(
      ({ value }) => {
        const last = value?.at(-1);
        if (last === undefined || last.generation > this.#seen) this.end();
        else this.#follow();
      },
      (error: unknown) => this.#finish({ error }),
    );
  }
}
