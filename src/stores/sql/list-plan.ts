import { activeStates, interruptedStates, terminalStates } from "../../protocol/lifecycle.js";
import type { Task, TaskState } from "../../protocol/model.js";
import type { PagePosition, TaskQuery } from "../task-store.js";
import { sortable, timestampOf } from "../timestamp-order.js";
import { keyText, nameOfKey } from "./key-text.js";
import { endOfHour, hourOf } from "./rows.js";

/** A query as a database is asked it. */
export interface ListPlan {
  readonly context: string | undefined;
  readonly state: TaskState | undefined;
  /** Status timestamps from here on; `""` for all. */
  readonly since: string;
  /** Tasks behind this place in the order. */
  readonly behind: { readonly stamp: string; readonly task: string } | undefined;
  /** One more than the page has: whether there is a next one. */
  readonly limit: number;
  readonly maxBytes: number;
  readonly total: TotalPlan;
}

/**
 * How the total is found without counting everything. Tasks that have ended, of which there may be any number, are counted
 * already by the hour of their end: those hours are added up, and within the hour in which the time asked for lies they are
 * counted one by one. Tasks that have not ended are counted one by one: there are as many as are being worked on.
 */
export interface TotalPlan {
  /** States in which tasks stay. */
  readonly ended: readonly TaskState[];
  /** States in which they do not. */
  readonly open: readonly TaskState[];
  /** Hours that begin behind this one are added up. */
  readonly hour: string;
  /** Where the hour that is counted one by one ends; undefined when there is none. */
  readonly until: string | undefined;
}

const openStates: readonly TaskState[] = ["TASK_STATE_UNSPECIFIED", ...activeStates, ...interruptedStates];

/** How a query is answered. */
export function planList({
  contextId,
  status,
  statusTimestampAfter,
  position,
  pageSize,
  maxBytes = Number.POSITIVE_INFINITY,
}: TaskQuery): ListPlan {
  const since = statusTimestampAfter === undefined ? "" : sortable(statusTimestampAfter);
  const hour = hourOf(since);
  const chosen = (states: Iterable<TaskState>) =>
    [...states].filter((one) => status === undefined || one === status);
  return {
    context: contextId === undefined ? undefined : keyText(contextId),
    state: status,
    since,
    behind: position && { stamp: sortable(position.timestamp), task: keyText(position.taskId) },
    limit: pageSize + 1,
    maxBytes,
    total: {
      ended: chosen(terminalStates),
      open: chosen(openStates),
      hour,
      until: since === "" ? undefined : endOfHour(hour),
    },
  };
}

/** The place of a row in the order, in the words of its task as long as that has not moved on. */
export function positionOf(
  { stamp, task }: { readonly stamp: string; readonly task: string },
  folded: Task | undefined,
): PagePosition {
  const { timestamp = "" } = folded?.status ?? {};
  return {
    timestamp: sortable(timestamp) === stamp ? timestamp : timestampOf(stamp),
    taskId: nameOfKey(task),
  };
}
