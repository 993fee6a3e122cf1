import type { AppendRight } from "../lease-store.js";
import type { LogEntry, Scope } from "../task-store.js";
import { keyText } from "./key-text.js";
import { entryText, type StatusSummary, summaryAfter } from "./rows.js";

/** The parameters of `LeaseStore.append`. */
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
  /** Key of its task in this process. A batch has at most one append per key. */
  readonly key: string;
  /** Number of the scope. */
  readonly scope: number;
  /** Id of the task, encoded by {@link keyText}. */
  readonly task: string;
  /** Agent of the scope, and context of the task, encoded in the same way. The context is `""` unless the append creates the task. */
  readonly agent: string;
  readonly context: string;
  readonly expected: number;
  readonly right: AppendRight | undefined;
  /** The status after the entries; undefined when they do not change it. */
  readonly summary: StatusSummary | undefined;
  /** The entries as JSON. */
  readonly texts: readonly string[];
  /** Whether the append ends the task. */
  readonly isOver: boolean;
  /** The task after the last entry as JSON, if a checkpoint is stored with the append. */
  readonly checkpoint?: string;
  /** The time in milliseconds since 1970; null for the clock of the database. */
  readonly now: number | null;
}

/** A successful append: the number of its task, the number of the scope, and the encoded id of the task. */
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
 * Converts an append to the form in which it is sent to a database: writes its entries as JSON, and encodes the names with
 * {@link keyText}.
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
  const { contextId = "" } = entries[0]?.event.task ?? {};
  const names = { task: keyText(taskId), agent: keyText(agent), context: keyText(contextId) };
  const checkpoint = checkpointAfter(texts, isOver);
  const ready = { ...target, ...names, taskId, expected, right, summary, texts, isOver };
  return checkpoint === undefined ? ready : { ...ready, checkpoint };
}

/** Approximate bytes of an append: the characters of its entries and of its checkpoint as JSON. */
export function bytesToSend({ texts, checkpoint = "" }: PreparedAppend): number {
  return texts.reduce((sum, text) => sum + text.length, checkpoint.length);
}
