import { endsTask, isTerminal } from "../protocol/lifecycle.js";
import type { StoredEntry, TaskSnapshot } from "./log.js";
import { type ArrivalListener, feedOf, type LogFeed, type LogListener } from "./log-feed.js";

/**
 * Maximum entries and bytes per read: enough to catch up quickly, but few enough that a stalled reader uses little memory.
 */
const BATCH = 256;
const BATCH_BYTES = 2 ** 18;

/** Maximum number of entries of the feed that a cursor keeps until its reader takes them. Beyond it, they are read from the log. */
const FED = 32;

/** The methods of a `TaskStore` that a cursor needs. */
export interface LogSource<Scope> {
  load(scope: Scope, taskId: string): Promise<TaskSnapshot | undefined>;
  read(
    scope: Scope,
    taskId: string,
    after: number,
    limit?: number,
    maxBytes?: number,
  ): Promise<readonly StoredEntry[] | undefined>;
  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void>;
  hold?(scope: Scope, taskId: string): () => void;
}

/** A batch of entries, or the end. */
type Batch = IteratorResult<readonly StoredEntry[], undefined>;

const over: Batch = Object.freeze({ done: true, value: undefined });

/** Stands for the last generation of a log that has to be read, because it may have more entries. */
const UNKNOWN = Number.POSITIVE_INFINITY;

/**
 * A cursor on a task's log. It yields the entries after generation `after`, and then new ones as they are appended, in order and
 * without gaps. A slow reader loses nothing (§3.5.2): at most a few entries are queued for it, and all others are read from the log when
 * it asks for them. A reader that has read all entries gets new ones from the feed of the store, if there is one; otherwise it waits and
 * reads again.
 *
 * The cursor ends after the entry that ends the task (at once if it starts there), when the signal aborts, or when the store no longer has
 * the log or the position in it; in the last two cases the entries may not reach a terminal state. It also ends when the store fails: the
 * read then rejects with the error of the store. To stop early, call `return`, as `for await` does; this is possible while a read is
 * pending. Only one read may be pending at a time.
 */
export class LogCursor<Scope> implements AsyncIterableIterator<readonly StoredEntry[]>, LogListener {
  readonly #source: LogSource<Scope>;
  readonly #scope: Scope;
  readonly #taskId: string;
  readonly #signal: AbortSignal;
  #generation: number;
  /** The last generation of the log, by the feed or by the last read; `UNKNOWN` if the log has to be read for further entries. */
  #latest = UNKNOWN;
  #hasBegun = false;
  #hasYielded = false;
  #isOver = false;
  #release: (() => void) | undefined;
  /** Ends the wait of a read, in a store that has no feed for the log. */
  #stop: AbortController | undefined;
  /** The feed to which the cursor is subscribed; undefined when the store has none for the log. */
  #feed: LogFeed<Scope> | undefined;
  /** Resolves the read that waits for the feed. */
  #resolveRead: ((batch: Batch | Promise<Batch>) => void) | undefined;
  /** Notified of the next entries. */
  #listener: ArrivalListener | undefined;
  /** Entries of which the listener was notified. */
  #fed: readonly StoredEntry[] | undefined;

  // biome-ignore lint/complexity/useMaxParams: the parameters of the store's own calls, in their order.
  constructor(source: LogSource<Scope>, scope: Scope, taskId: string, after: number, signal: AbortSignal) {
    this.#source = source;
    this.#scope = scope;
    this.#taskId = taskId;
    this.#generation = after;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Batch> {
    if (!this.#hasBegun) this.#begin();
    const entries = this.ready();
    if (entries !== undefined) return Promise.resolve({ done: false, value: entries });
    if (this.#isOver) return Promise.resolve(over);
    return this.#hasAll ? this.#waitForFeed() : this.#read();
  }

  /**
   * Returns the entries of which a listener was notified, and removes the listener.
   * @returns undefined when none are queued: {@link next} then reads or awaits them
   */
  ready(): readonly StoredEntry[] | undefined {
    const entries = this.#fed;
    this.#listener = undefined;
    this.#fed = undefined;
    if (entries !== undefined) this.#yield(entries);
    return entries;
  }

  /**
   * Notifies a listener when the next entries are appended, and when the cursor ends. Costs no promise, unlike {@link next}.
   * @returns false, without registering it, when `next` has to be called: entries are ready, the log has to be read, or the cursor has
   * ended
   */
  listen(listener: ArrivalListener): boolean {
    if (!this.#hasBegun) this.#begin();
    if (this.#isOver || !this.#hasAll || this.#fed !== undefined) return false;
    this.#listener = listener;
    return true;
  }

  /** Whether all entries of the log have been read, so that the next one comes from the feed. */
  get #hasAll(): boolean {
    return this.#latest === this.#generation;
  }

  /** Ends the cursor, even while a read is pending. If the read waits for a `load` or `read` of the store, it settles when that call does. */
  return(): Promise<Batch> {
    this.#end();
    return Promise.resolve(over);
  }

  #begin(): void {
    this.#hasBegun = true;
    if (this.#signal.aborted) this.#isOver = true;
    if (this.#isOver) return;
    this.#release = this.#source.hold?.(this.#scope, this.#taskId);
    this.#signal.addEventListener("abort", this);
    const feed = feedOf<Scope>(this.#source);
    const latest = feed?.watch(this.#scope, this.#taskId, this);
    if (latest === undefined) return;
    this.#feed = feed;
    this.#latest = latest;
  }

  /** Called when the signal aborts. */
  handleEvent(): void {
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#release?.();
    this.#release = undefined;
    this.#signal.removeEventListener("abort", this);
    this.#stop?.abort();
    this.#feed?.unwatch(this.#scope, this.#taskId, this);
    this.#feed = undefined;
    const resolveRead = this.#resolveRead;
    const listener = this.#listener;
    this.#resolveRead = undefined;
    this.#listener = undefined;
    this.#fed = undefined;
    resolveRead?.(over);
    listener?.arrived(true);
  }

  /** Waits for the feed, because all entries have been read. */
  #waitForFeed(): Promise<Batch> {
    return new Promise((resolve) => {
      this.#resolveRead = resolve;
    });
  }

  /** Called by the feed. */
  appended(entries: readonly StoredEntry[]): void {
    const last = entries.at(-1);
    this.#latest = last?.generation ?? UNKNOWN;
    const listener = this.#listener;
    if (listener !== undefined) {
      this.#keep(entries);
      listener.arrived(last === undefined || endsTask(last.event));
      return;
    }
    const resolveRead = this.#resolveRead;
    if (resolveRead === undefined) return;
    this.#resolveRead = undefined;
    const isNext = entries[0]?.generation === this.#generation + 1;
    resolveRead(isNext ? this.#yield(entries) : this.#read());
  }

  /** Called by the feed. */
  changed(): void {
    this.#latest = UNKNOWN;
    this.#listener?.arrived(false);
    const resolveRead = this.#resolveRead;
    this.#resolveRead = undefined;
    resolveRead?.(this.#read());
  }

  /** Keeps entries until they are taken. If they are not the next ones, or too many, they are read from the log instead. */
  #keep(entries: readonly StoredEntry[]): void {
    const fed = this.#fed ?? [];
    const isNext = entries[0]?.generation === this.#generation + fed.length + 1;
    if (!isNext || fed.length + entries.length > FED) this.#fed = undefined;
    else this.#fed = fed.length === 0 ? entries : [...fed, ...entries];
  }

  async #read(): Promise<Batch> {
    try {
      for (;;) {
        const after = this.#generation;
        if (this.#latest === UNKNOWN) this.#latest = after;
        const entries = await readBatch(this.#source, this.#scope, this.#taskId, after);
        if (entries === undefined || this.#isEnded) break;
        if (entries.length > 0) return this.#yield(entries);
        if (!this.#hasYielded && (await isOver(this.#source, this.#scope, this.#taskId, after))) break;
        if (this.#isEnded) break;
        if (this.#feed === undefined) await this.#wait(after);
        else if (this.#latest <= after) return this.#waitForFeed();
        if (this.#isEnded) break;
      }
    } catch (error) {
      this.#end();
      throw error;
    }
    return this.return();
  }

  #wait(after: number): Promise<void> {
    this.#stop ??= new AbortController();
    return this.#source.wait(this.#scope, this.#taskId, after, this.#stop.signal);
  }

  get #isEnded(): boolean {
    return this.#isOver || this.#signal.aborted;
  }

  #yield(entries: readonly StoredEntry[]): Batch {
    const last = entries.at(-1) as StoredEntry;
    this.#hasYielded = true;
    this.#generation = last.generation;
    // The log may have more entries than the read has returned.
    if (this.#latest < last.generation) this.#latest = UNKNOWN;
    if (endsTask(last.event)) this.#end();
    return { done: false, value: entries };
  }
}

/** Creates a cursor on a log. See {@link LogCursor}. */
// biome-ignore lint/complexity/useMaxParams: the parameters of the store's own calls, in their order.
export function follow<Scope>(
  store: LogSource<Scope>,
  scope: Scope,
  taskId: string,
  after: number,
  signal: AbortSignal,
): LogCursor<Scope> {
  return new LogCursor(store, scope, taskId, after, signal);
}

/**
 * Reads entries after generation `after`, up to a limit on their number and size, but at least one if there is one.
 * @returns undefined when the store does not have the log, or no longer has the position in it
 * @throws what the store throws
 */
export function readBatch<Scope>(
  store: Pick<LogSource<Scope>, "read">,
  scope: Scope,
  taskId: string,
  after: number,
): Promise<readonly StoredEntry[] | undefined> {
  return store.read(scope, taskId, after, BATCH, BATCH_BYTES);
}

/**
 * Reads the entries after generation `after` up to the end of the log, in batches, because a log may be larger than the available memory.
 * Ends early when the store does not have the log, or no longer has the position in it.
 * @throws what the store throws
 */
export async function* readLog<Scope>(
  store: Pick<LogSource<Scope>, "read">,
  scope: Scope,
  taskId: string,
  after: number,
): AsyncGenerator<readonly StoredEntry[]> {
  for (let generation = after; ; ) {
    const entries = await readBatch(store, scope, taskId, generation);
    const last = entries?.at(-1);
    if (entries === undefined || last === undefined) return;
    generation = last.generation;
    yield entries;
  }
}

/** Whether no entry can follow `generation`. Needed for a reader that starts at the end of a log or after it. */
async function isOver<Scope>(
  store: LogSource<Scope>,
  scope: Scope,
  taskId: string,
  generation: number,
): Promise<boolean> {
  const snapshot = await store.load(scope, taskId);
  if (snapshot === undefined) return true;
  return snapshot.generation <= generation && isTerminal(snapshot.task.status.state);
}
