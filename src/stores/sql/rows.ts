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

/** A push config as a row. */
export interface ConfigRow extends PushCursor {
  readonly place: number;
  /** Number of the scope. */
  readonly scope: number;
  readonly body: string;
  readonly version: string;
  readonly revision: number;
}

/** Converts a config row to its record. */
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

/** The record of a send as a row. */
export interface SendRow {
  readonly fingerprint: string;
  readonly outcome: string | null;
}

/** Converts the row of a send to its record. */
export function sendOf({ fingerprint, outcome }: SendRow): SendRecord {
  return deepFreeze<SendRecord>({
    fingerprint: nameOfKey(fingerprint),
    ...(outcome !== null && { outcome: JSON.parse(outcome) }),
  });
}

/**
 * Writes an entry as JSON. The JSON escapes NUL and unpaired surrogates, which databases cannot store in a text.
 * @throws StoreError of kind `entry` when it cannot be written as JSON, for example because the JSON would exceed the maximum length of a
 * string
 */
export function entryText({ event, message, request, trace }: LogEntry): string {
  return storedText({ event, message, request, trace }, "An entry");
}

function storedText(value: object, name: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new StoreError("entry", `${name} cannot be written as JSON`, { cause });
  }
}

/** Parses a stored entry. The result is frozen, because readers share it, and its event is tagged with its generation. */
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

/** An additional member of a stored task: its protocol version. The protocol defines no member with this name. */
const VERSION = "@version";

/**
 * Writes a task as JSON, together with the protocol version in which it was created unless that is unknown or {@link protocolVersion}.
 * @throws StoreError of kind `entry`, as {@link entryText}
 */
export function snapshotText({ task, version }: TaskSnapshot): string {
  const isOther = version !== undefined && version !== protocolVersion;
  return storedText(isOther ? { ...task, [VERSION]: version } : task, "A task");
}

/** Parses the result of {@link snapshotText}. The task is frozen. The `version` is absent if it was not written. */
export function readSnapshot(text: string, generation: number): TaskSnapshot {
  const { [VERSION]: version, ...task }: Task & { [VERSION]?: string } = JSON.parse(text);
  return { task: deepFreeze(task), generation, ...(version !== undefined && { version }) };
}

/** The part of a task's status that the row of the task needs. */
export interface StatusSummary {
  readonly state: TaskState;
  /** The status timestamp in the form of {@link sortable}; `""` without one. */
  readonly stamp: string;
  /** Whether the state is terminal. */
  readonly isOver: boolean;
}

/** The last status in entries; undefined when none of them has one. */
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

/**
 * The hour of a timestamp in the form of {@link sortable}; `""` without one. Ended tasks are counted by hour, so that totals need not
 * count each of them.
 */
export function hourOf(stamp: string): string {
  return stamp.slice(0, "2000-01-01T00".length);
}

/** A string that sorts after every {@link sortable} timestamp of an hour, and before those of the next. */
export function endOfHour(hour: string): string {
  return `${hour}~`;
}
