import { isDeepStrictEqual } from "node:util";
import type { LogEntry } from "../../stores/task-store.js";

/**
 * How many of the entries that a log holds are those of an append whose answer was lost.
 * @param written the entries of that append
 * @param found what the log holds from there on
 */
export function ownEntries(written: readonly LogEntry[], found: readonly LogEntry[]): number {
  const differing = written.findIndex((entry, index) => !isSame(entry, found[index]));
  return differing < 0 ? written.length : differing;
}

/** Whether an entry is the one that was written, which may have been through JSON. */
function isSame(written: LogEntry, read: LogEntry | undefined): boolean {
  if (read === undefined) return false;
  const plain = ({ event, message }: LogEntry): unknown => JSON.parse(JSON.stringify([event, message]));
  return isDeepStrictEqual(plain(written), plain(read));
}
