import { endsTask } from "../protocol/lifecycle.js";
import { tag } from "../task-log/log.js";
import type { LogEntry, StoredEntry } from "./task-store.js";

/** Maximum depth of the recursion. Values that are nested deeper are frozen after it has returned. */
const DEPTH = 100;

/**
 * Freezes a JSON value deeply and returns it. An object that is already frozen counts as deeply frozen. Objects that are neither
 * plain nor arrays are not frozen. The value may be nested more deeply than the call stack allows.
 */
export function deepFreeze<Value extends object>(value: Value): Value {
  const deferred: object[] = [];
  freeze(value, DEPTH, deferred);
  for (let next = deferred.pop(); next !== undefined; next = deferred.pop()) freeze(next, DEPTH, deferred);
  return value;
}

function freeze(value: object, depth: number, deferred: object[]): void {
  if (Object.isFrozen(value)) return;
  if (depth === 0) {
    deferred.push(value);
  } else if (Array.isArray(value)) {
    Object.freeze(value);
    for (const item of value)
      if (typeof item === "object" && item !== null) freeze(item, depth - 1, deferred);
  } else if (isPlain(value)) {
    Object.freeze(value);
    for (const key in value) {
      const member: unknown = value[key as keyof typeof value];
      if (typeof member === "object" && member !== null) freeze(member, depth - 1, deferred);
    }
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Checks entries before any of them is stored: the first of a log, and no other, has a `task` event, all events belong to the task, and only
 * the last one may end it.
 * @throws TypeError that names the first invalid entry
 */
export function checkEntries(taskId: string, after: number, entries: readonly LogEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const generation = after + index + 1;
    const fault = faultOf(entry, taskId, generation, index === entries.length - 1);
    if (fault !== undefined) throw new TypeError(`Entry ${generation} of task ${taskId} ${fault}`);
  }
}

function faultOf(entry: LogEntry, taskId: string, generation: number, isLast: boolean): string | undefined {
  const { task, statusUpdate, artifactUpdate } = entry.event;
  if ((task !== undefined) !== (generation === 1))
    return generation === 1
      ? "must be a task, because it is the first"
      : "must not be a task, because it is not the first";
  const eventTaskId = task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
  if (eventTaskId !== taskId) return "has no event of this task";
  return !isLast && endsTask(entry.event) ? "ends the task before the last entry" : undefined;
}

/** Returns entries numbered from `after` + 1 on, deeply frozen, with their events tagged with the generation. */
export function prepare(entries: readonly LogEntry[], after: number): StoredEntry[] {
  return entries.map(({ event, message, request, trace }, index) => {
    const generation = after + index + 1;
    const tagged = deepFreeze(tag(event, generation));
    if (message === undefined && request === undefined && trace === undefined)
      return Object.freeze({ generation, event: tagged });
    return Object.freeze({
      generation,
      event: tagged,
      ...(message && { message: deepFreeze(message) }),
      ...(request && { request: deepFreeze(request) }),
      ...(trace && { trace: Object.freeze(trace) }),
    });
  });
}
