import type { AppendRight } from "../lease-store.js";
import type { LogEntry, Scope } from "../task-store.js";
import { keyText } from "./key-text.js";
import { entryText, summaryAfter } from "./rows.js";

/** The parameters of an append. */
export interface Append {
  readonly scope: Scope;
  readonly taskId: string;
  readonly expected: number;
  readonly entries: readonly LogEntry[];
  readonly right: AppendRight | undefined;
}

/** An append as it is sent to a database. */
export interface PreparedAppend {
  readonly taskId: string;
  /** Key of its task in this process. A statement has at most one append per key. */
  readonly key: string;
  /** Number of the scope. */
  readonly scope: number;
  /** Id of the task, encoded by {@link keyText}. */
  readonly task: string;
  readonly expected: number;
  readonly right: AppendRight | undefined;
  /** The entries as JSON. */
  readonly texts: readonly string[];
  /** Whether the append ends the task. */
  readonly isOver: boolean;
  /** The task after the last entry as JSON, if a checkpoint is stored with the append. */
  readonly checkpoint?: string;
  /** The append as JSON, for the statement. PostgreSQL gets the members `n` and `first` too. */
  readonly members: string;
  /** The time; null for the clock of the database. */
  readonly now: number | null;
}

/** A successful append. */
export interface AppendedRow {
  readonly id: number;
  readonly scope: number;
  readonly task: string;
}

/** The task of an append, and its time. */
interface Target {
  readonly key: string;
  readonly scope: number;
  readonly now: number | null;
}

/**
 * Prepares an append.
 * @param checkpointAfter receives the entries as JSON and whether they end the task, and returns the checkpoint as JSON if one is to be
 * stored with the append
 * @throws StoreError of kind `entry` for an entry that cannot be written as JSON; what `checkpointAfter` throws
 */
export function preparedAppend(
  { scope: { agent }, taskId, expected, entries, right }: Append,
  target: Target,
  checkpointAfter: (texts: readonly string[], isOver: boolean) => string | undefined,
): PreparedAppend {
  const texts = entries.map(entryText);
  const summary = summaryAfter(entries);
  const isOver = summary?.isOver === true;
  const task = keyText(taskId);
  const { contextId = "" } = entries[0]?.event.task ?? {};
  const members = JSON.stringify({
    ...{ scope: target.scope, task, context: keyText(contextId) },
    ...{ expected, generation: expected + entries.length },
    ...{ state: summary?.state, stamp: summary?.stamp, over: isOver },
    ...rightMembers(agent, right),
  });
  const checkpoint = checkpointAfter(texts, isOver);
  const ready = { ...target, taskId, task, expected, right, texts, isOver, members };
  return checkpoint === undefined ? ready : { ...ready, checkpoint };
}

function rightMembers(agent: string, right: AppendRight | undefined): object {
  if (right === undefined) return {};
  if ("external" in right) return { right: "external" };
  if ("token" in right) return { right: "token", token: keyText(right.token), work: right.work };
  const { node, token, duration } = right.lease;
  const names = { agent: keyText(agent), node: keyText(node), token: keyText(token) };
  return { right: "lease", ...names, duration, work: right.work };
}

/** Approximate bytes of an append: the characters of its entries and of its checkpoint as JSON. */
export function bytesToSend({ texts, checkpoint = "" }: PreparedAppend): number {
  return texts.reduce((sum, text) => sum + text.length, checkpoint.length);
}
