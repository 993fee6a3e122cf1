import { activeStates, interruptedStates, terminalStates } from "../../protocol/lifecycle.js";
import type { Task, TaskState } from "../../protocol/model.js";
import type { PagePosition, TaskQuery } from "../task-store.js";
import { sortable, timestampOf } from "../timestamp-order.js";
import { keyText, nameOfKey } from "./key-text.js";
import { endOfHour, hourOf } from "./rows.js";

/** A list query, converted to the values that the database compares. */
export interface ListPlan {
  readonly context: string | undefined;
  readonly state: TaskState | undefined;
  /** Earliest status timestamp in the form of {@link sortable}; `""` for no limit. */
  readonly since: string;
  /** Position after which the page starts. */
  readonly after: { readonly stamp: string; readonly task: string } | undefined;
  /** One more than the page size, to find out whether there is a next page. */
  readonly limit: number;
  /** As in {@link TaskQuery.maxBytes}; Infinity for no limit. */
  readonly maxBytes: number;
  /** For a query without a context. The tasks of a context are counted one by one. */
  readonly total: TotalPlan;
}

/**
 * How the total is computed without counting every task. When a task ends, it is added to the count for the hour of its status timestamp.
 * Counts of whole hours are added up, and ended tasks are counted one by one only within the hour of the requested timestamp. Open tasks,
 * which are expected to be fewer, are counted one by one.
 */
export interface TotalPlan {
  /** Terminal states to include. */
  readonly ended: readonly TaskState[];
  /** Other states to include. */
  readonly open: readonly TaskState[];
  /** Hours after this one are added up; without a requested timestamp, all hours. */
  readonly hour: string;
  /** End of the hour whose ended tasks are counted one by one; undefined without a requested timestamp. */
  readonly until: string | undefined;
}

const openStates: readonly TaskState[] = ["TASK_STATE_UNSPECIFIED", ...activeStates, ...interruptedStates];

/** Plans a list query. */
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
    after: position && { stamp: sortable(position.timestamp), task: keyText(position.taskId) },
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

/**
 * The position of a row in the order of the list.
 * @param folded the task of the row; undefined if it was deleted. If its timestamp is still that of the row, it is returned as it was
 * written
 */
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
