import { isTerminal } from "../protocol/lifecycle.js";
import type { StoredEntry, TaskSnapshot } from "./log.js";

/** Entries read at a time, and their bytes: enough to catch up fast, few enough that a reader that stalls holds little. */
const BATCH = 256;
const BATCH_BYTES = 2 ** 18;

/** What a cursor asks of a task store; see there for the meaning of each call. */
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
 * A cursor on a task's log: what is there behind generation `after`, then what comes, in order and without gaps. History and
 * live tail are one read, so nothing can fall between them; whoever reads slowly is merely behind (§3.5.2).
 *
 * Ends behind the entry that ends the task, when the signal aborts, or when the store no longer holds the log or the place in
 * it; in that last case the entries so far do not reach a terminal state. A consumer that stops early returns the iterator,
 * as `for await` does; one that is waiting for the next entry is stopped by the signal.
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
      const entries = await store.read(scope, taskId, generation, BATCH, BATCH_BYTES);
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

/** Whether nothing can come behind `generation`. Asked by a reader that may have begun at the end of a log, or past it. */
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
