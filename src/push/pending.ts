import { valueSize } from "../json/value-size.js";
import type { PushRecord } from "../stores/push-store.js";
import type { StoredEntry, TaskSnapshot, TaskStore } from "../stores/task-store.js";
import { SMALL_BYTES } from "./per-address-semaphore.js";

/** Maximum number of entries per read. */
const BATCH = 16;
/** Approximate limit on the bytes of one read, see {@link TaskStore.read}. */
const BATCH_BYTES = 2 ** 18;

/** An entry that waits for delivery. */
export interface Pending {
  readonly generation: number;
  readonly isArtifact: boolean;
  /** Approximate size of its event in bytes. */
  readonly bytes: number;
  /** Returns the entry; undefined when it has to be read from the store, which no longer holds it. */
  readonly read: () => Promise<StoredEntry | undefined>;
}

/**
 * Reads the next entries of the log of a webhook's task. Only the first {@link SMALL_BYTES} of events stay in memory; the others are read
 * again when they are sent, so that many slow webhooks need little memory.
 * @param after generation of the entry before the first one to read
 * @returns undefined when the task is not stored, or the store no longer holds the next entry
 * @throws what the store throws
 */
export async function readPending(
  store: TaskStore,
  { scope, config }: PushRecord,
  after: number,
): Promise<readonly Pending[] | undefined> {
  const entries = await store.read(scope, config.taskId, after, BATCH, BATCH_BYTES);
  let kept = 0;
  return entries?.map((entry) => {
    const { event, generation, trace } = entry;
    const bytes = valueSize(event);
    kept += bytes;
    const readAgain = async () => (await store.read(scope, config.taskId, generation - 1, 1))?.[0];
    const read = kept <= SMALL_BYTES ? keptEntry({ event, generation, ...(trace && { trace }) }) : readAgain;
    return { generation, bytes, isArtifact: event.artifactUpdate !== undefined, read };
  });
}

/** The current task, to be sent in place of entries that the store no longer holds. It is read again when it is sent. */
export function pendingTask(
  store: TaskStore,
  { scope, config }: PushRecord,
  { task, generation }: TaskSnapshot,
): Pending {
  const read = async () => {
    const now = await store.load(scope, config.taskId);
    return now && { event: { task: now.task }, generation: now.generation };
  };
  return { generation, isArtifact: false, bytes: valueSize(task), read };
}

/** A separate function, because closures of one function share their variables: `readAgain` would keep its entry alive. */
function keptEntry(entry: StoredEntry): Pending["read"] {
  return () => Promise.resolve(entry);
}
