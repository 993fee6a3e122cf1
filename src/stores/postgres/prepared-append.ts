import type { AppendRight } from "../lease-store.js";
import { keyText } from "../sql/key-text.js";
import { entryText, summaryAfter } from "../sql/rows.js";
import type { LogEntry, Scope } from "../task-store.js";

/** What is to be appended where. */
export interface Append {
  readonly scope: Scope;
  readonly taskId: string;
  readonly expected: number;
  readonly entries: readonly LogEntry[];
  readonly right: AppendRight | undefined;
}

/** An append as it is sent: everything that could be made ready. */
export interface PreparedAppend {
  readonly taskId: string;
  /** Where its task is; at most one append for each place travels at a time. */
  readonly place: string;
  /** Number of the scope. */
  readonly scope: number;
  /** The task's id as a key. */
  readonly task: string;
  readonly expected: number;
  readonly right: AppendRight | undefined;
  /** The entries as JSON. */
  readonly texts: readonly string[];
  /** Whether the task ends. */
  readonly isOver: boolean;
  /** The task as of the last entry as JSON, if that is to be stored. */
  readonly checkpoint?: string;
  /** The rest as JSON. */
  readonly members: string;
  /** The time, when it is not the server's. */
  readonly now: number | null;
}

/** An append that was carried out. */
export interface AppendedRow {
  readonly id: number;
  readonly scope: number;
  readonly task: string;
}

/** Where an append goes. */
interface Target {
  readonly place: string;
  readonly scope: number;
  readonly now: number | null;
}

/**
 * Makes an append ready.
 * @param save given the texts of the entries, the task as of the last of them as JSON, if that is to be stored
 */
export function preparedAppend(
  { scope: { agent }, taskId, expected, entries, right }: Append,
  target: Target,
  save: (texts: readonly string[], isOver: boolean) => string | undefined,
): PreparedAppend {
  const texts = entries.map(entryText);
  const standing = summaryAfter(entries);
  const isOver = standing?.isOver === true;
  const task = keyText(taskId);
  const { contextId = "" } = entries[0]?.event.task ?? {};
  const members = JSON.stringify({
    ...{ scope: target.scope, task, context: keyText(contextId) },
    ...{ expected, generation: expected + entries.length },
    ...{ state: standing?.state, stamp: standing?.stamp, over: isOver },
    ...rightMembers(agent, right),
  });
  const checkpoint = save(texts, isOver);
  const ready = { ...target, taskId, task, expected, right, texts, isOver, members };
  return checkpoint === undefined ? ready : { ...ready, checkpoint };
}

function rightMembers(agent: string, right: AppendRight | undefined): object {
  if (right === undefined) return {};
  if ("guest" in right) return { right: "guest" };
  if ("token" in right) return { right: "token", token: keyText(right.token), work: right.work };
  const { node, token, duration } = right.lease;
  const names = { agent: keyText(agent), node: keyText(node), token: keyText(token) };
  return { right: "lease", ...names, duration, work: right.work };
}
