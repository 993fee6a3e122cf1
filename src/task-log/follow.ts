import { isTerminal } from "../protocol/lifecycle.js";
import type { StoredEntry, TaskSnapshot } from "./log.js";

/**
 * Entries per read, and bytes per read: enough to catch up fast, small enough that a stalled reader holds little
 * memory.
 */
const BATCH = 256;
const BATCH_BYTES = 2 ** 18;

/** The calls of a task store that a cursor needs; see {@link TaskStore}. */
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

/**
 * A cursor on a task's log: yields the entries after generation `after`, then further ones as they are appended, in
 * order and without gaps. History and live entries come from one read, so none is lost between them; a slow reader lags
 * and loses nothing (§3.5.2).
 *
 * Ends after the entry that ends the task, when the signal aborts, or when the store no longer has the log or the
 * position in it; in the last case the entries do not reach a terminal state. To stop early, return the iterator, as
 * `for await` does; the signal stops an iterator that is waiting.
 */
// biome-ignore lint/complexity/useMaxParams: the parameters of the store's own calls, in their order.
export async function* follow<Scope>(
  store: LogSource<Scope>,
  scope: Scope,
  taskId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEntry[]> {
  let generation = after;
  let begun = false;
  const release = store.hold?.(scope, taskId);
  try {
    while (!signal.aborted) {
      const entries = await readBatch(store, scope, taskId, generation);
      if (entries === undefined || signal.aborted) return;
      const last = entries.at(-1);
      if (last !== undefined) {
        begun = true;
        generation = last.generation;
        yield entries;
        if (ends(last)) return;
      } else if (begun || !(await isOver(store, scope, taskId, generation))) {
        await store.wait(scope, taskId, generation, signal);
      } else return;
    }
  } finally {
    release?.();
  }
}

/** Reads a bounded number of entries after generation `after`, and of bounded size: one entry at least, unless there is none. */
export function readBatch<Scope>(
  store: Pick<LogSource<Scope>, "read">,
  scope: Scope,
  taskId: string,
  after: number,
): Promise<readonly StoredEntry[] | undefined> {
  return store.read(scope, taskId, after, BATCH, BATCH_BYTES);
}

/**
 * The entries after generation `after` that the log has now, batch by batch: a log may be larger than the memory that is left.
 * Ends early when the store no longer has the log or the position in it.
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

/** Whether no entry can follow `generation`. The reader may have begun at the end of a log, or past it. */
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

function ends({ event }: StoredEntry): boolean {
  const status = event.task?.status ?? event.statusUpdate?.status;
  return status !== undefined && isTerminal(status.state);
}
