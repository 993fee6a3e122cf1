import type { TaskState } from "../../model.js";
import { isTerminal } from "../../task/lifecycle.js";
import type { LogEntry } from "../task-store.js";
import { sortable } from "../timestamp-order.js";

/** What lists need to know of a task. */
export interface Standing {
  readonly state: TaskState;
  /** The status timestamp as text that sorts as the instant does; `""` without one. */
  readonly stamp: string;
  readonly isOver: boolean;
}

/** Where a task stands after some entries; undefined when they do not change it. */
export function standingAfter(entries: readonly LogEntry[]): Standing | undefined {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const { task, statusUpdate } = entries[index]?.event ?? {};
    const status = (task ?? statusUpdate)?.status;
    if (status !== undefined) {
      const { state, timestamp = "" } = status;
      return { state, stamp: sortable(timestamp), isOver: isTerminal(state) };
    }
  }
  return undefined;
}

/** Tasks that have ended are counted by the hour of their end, so that totals need not count them one by one. */
export function hourOf(stamp: string): string {
  return stamp.slice(0, "2000-01-01T00".length);
}

/** Sorts behind every timestamp of an hour, and before those of the next one. */
export function endOfHour(hour: string): string {
  return `${hour}~`;
}
