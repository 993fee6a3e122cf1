import type { Task } from "../../model.js";
import { tag } from "../../task/generation.js";
import { deepFreeze } from "../deep-freeze.js";
import type { LogEntry, StoredEntry } from "../task-store.js";

/** An entry as it is stored: JSON, in which every text can be written, also what databases refuse in texts. */
export function entryText({ event, message, request, trace }: LogEntry): string {
  return JSON.stringify({ event, message, request, trace });
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

/** A task that was stored as JSON, frozen. */
export function readTask(text: string): Task {
  return deepFreeze(JSON.parse(text) as Task);
}
