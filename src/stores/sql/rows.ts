import { isTerminal } from "../../protocol/lifecycle.js";
import type { Task, TaskState } from "../../protocol/model.js";
import { protocolVersion } from "../../protocol/operations.js";
import { tag } from "../../task-log/log.js";
import { deepFreeze } from "../prepare.js";
import type { PushCursor, PushRecord } from "../push-store.js";
import type { SendRecord } from "../send-ledger.js";
import { StoreError } from "../store-error.js";
import type { LogEntry, Scope, StoredEntry, TaskSnapshot } from "../task-store.js";
import { sortable } from "../timestamp-order.js";
import { nameOfKey } from "./key-text.js";

/** A push config as databases hold it. */
export interface ConfigRow extends PushCursor {
  readonly place: number;
  /** Number of its scope. */
  readonly scope: number;
  readonly body: string;
  readonly version: string;
  readonly revision: number;
}

/** The record of a row. */
export function recordOf(row: ConfigRow, { agent, tenant, owner }: Scope): PushRecord {
  const { place, body, version, revision, delivered, failures, due, state } = row;
  return deepFreeze<PushRecord>({
    scope: { agent, tenant, owner },
    config: JSON.parse(body),
    version,
    cursor: { delivered, failures, due, state },
    place,
    revision,
  });
}

/** Milliseconds for which a send is remembered. */
export const LIFETIME = 24 * 60 * 60 * 1000;

/** A remembered send as databases hold it. */
export interface SendRow {
  readonly fingerprint: string;
  readonly outcome: string | null;
}

/** The record of a row. */
export function sendOf({ fingerprint, outcome }: SendRow): SendRecord {
  return deepFreeze<SendRecord>({
    fingerprint: nameOfKey(fingerprint),
    ...(outcome !== null && { outcome: JSON.parse(outcome) }),
  });
}

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

/** What lists need to know of a task. */
export interface StatusSummary {
  readonly state: TaskState;
  /** The status timestamp as text that sorts as the instant does; `""` without one. */
  readonly stamp: string;
  readonly isOver: boolean;
}

/** Where a task stands after some entries; undefined when they do not change it. */
export function summaryAfter(entries: readonly LogEntry[]): StatusSummary | undefined {
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
