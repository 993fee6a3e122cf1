import { valueSize } from "../../value-size.js";
import type { LogEntry } from "../task-store.js";
import type { MemoryTask } from "./memory-task.js";

/** Bytes that a task takes besides its entries, and besides itself once these are gone: its places in the store. */
const OPEN_TASK = 1024;
const ENDED_TASK = 256;

/** Bytes of an entry that are not in its task. */
const ENTRY = 240;

/** A task with fewer bytes is not measured when its entries go: what they have replaced is not worth a walk. */
const SMALL = 4096;

/**
 * About how many bytes entries take in memory. Their task takes no more, because it shares what is in them.
 * @param isNew whether they make their task
 */
export function entriesSize(entries: readonly LogEntry[], isNew: boolean): number {
  let bytes = isNew ? OPEN_TASK : 0;
  for (const entry of entries) bytes += valueSize(entry);
  return bytes;
}

/**
 * About how many bytes an ended task takes whose entries are gone.
 * @param configs bytes of its push configs
 */
export function compactedSize(task: MemoryTask, configs: number): number {
  const bytes = task.bytes - configs - OPEN_TASK - ENTRY * task.generation;
  return configs + ENDED_TASK + (bytes < SMALL ? Math.max(bytes, 0) : valueSize(task.task));
}
