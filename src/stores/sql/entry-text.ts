import type { Task } from "../../model.js";
import { protocolVersion } from "../../operations.js";
import { tag } from "../../task/generation.js";
import { deepFreeze } from "../deep-freeze.js";
import { StoreError } from "../store-error.js";
import type { LogEntry, StoredEntry, TaskSnapshot } from "../task-store.js";

/**
 * An entry as it is stored: JSON, in which every text can be written, also what databases refuse in texts.
 * @throws StoreError of kind `entry` when it cannot be written as JSON, or is longer than a string can be
 */
export function entryText({ event, message, request, trace }: LogEntry): string {
  return storedText({ event, message, request, trace });
}

function storedText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new StoreError("entry", "An entry cannot be written as JSON", { cause });
  }
}

/** An entry that was stored, frozen, because all its readers share it, and tagged for those who send it on. */
export function readEntry(text: string, generation: number): StoredEntry {
  const { event, message, request, trace }: LogEntry = JSON.parse(text);
  return deepFreeze({
    generation,
    event: tag(event, generation),
    ...(message && { message }),
    ...(request && { request }),
    ...(trace && { trace }),
  });
}

/** Beside the members of a stored task, which can have no such name. */
const VERSION = "@version";

/**
 * A task as it is stored, with the version that it was begun in when that is an older one.
 * @throws StoreError of kind `entry` when it is longer than a string can be
 */
export function snapshotText({ task, version }: TaskSnapshot): string {
  const isOlder = version !== undefined && version !== protocolVersion;
  return storedText(isOlder ? { ...task, [VERSION]: version } : task);
}

/** What {@link snapshotText} has written, frozen. */
export function readSnapshot(text: string, generation: number): TaskSnapshot {
  const { [VERSION]: version, ...task }: Task & { [VERSION]?: string } = JSON.parse(text);
  return { task: deepFreeze(task), generation, ...(version !== undefined && { version }) };
}
