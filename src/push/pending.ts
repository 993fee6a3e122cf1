import { valueSize } from "../json/value-size.js";
import type { PushRecord } from "../stores/push-store.js";
import type { StoredEntry, TaskSnapshot, TaskStore } from "../stores/task-store.js";
import { SMALL_BYTES } from "./per-address-semaphore.js";

/** Entries read at a time. Few, since a webhook that is down holds them while it waits. */
const BATCH = 16;

/** An entry that waits to be delivered. */
export interface Pending {
  readonly generation: number;
  readonly isArtifact: boolean;
  /** About how many bytes its event has. */
  readonly bytes: number;
  /** Gives the entry; undefined when the store does not hold it any more. */
  readonly read: () => Promise<StoredEntry | undefined>;
}

/**
 * Reads the log of a webhook's task. Of the entries that wait, {@link SMALL_BYTES} are kept; the others are read again when their
 * turn comes, so that webhooks that wait, however many, do not fill the memory.
 * @param after generation of the last entry that is not wanted
 * @returns undefined when the next entry is no longer held
 */
export async function readPending(
  store: TaskStore,
  { scope, config }: PushRecord,
  after: number,
): Promise<readonly Pending[] | undefined> {
  const entries = await store.read(scope, config.taskId, after, BATCH);
  let kept = 0;
  return entries?.map((entry) => {
    const { event, generation } = entry;
    const bytes = valueSize(event);
    kept += bytes;
    const again = async () => (await store.read(scope, config.taskId, generation - 1, 1))?.[0];
    const read = kept <= SMALL_BYTES ? giving(entry) : again;
    return { generation, bytes, isArtifact: event.artifactUpdate !== undefined, read };
  });
}

/** The task as it stands, in place of entries that are no longer held. It is read again when its turn comes. */
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

/** Made apart from other functions, which would keep the entry as well. */
function giving(entry: StoredEntry): Pending["read"] {
  return () => Promise.resolve(entry);
}
