import { isTerminal } from "../protocol/lifecycle.js";
import { tag } from "../task-log/log.js";
import type { LogEntry, StoredEntry } from "./task-store.js";

/** How deep recursion goes. What is nested deeper is put aside and taken up from the top of the stack again. */
const DEPTH = 100;

/**
 * Freezes a JSON value all the way down and returns it. What is frozen already is taken to be so all the way; what is no
 * plain object or array stays as it is. A value may be nested deeper than the stack.
 */
export function deepFreeze<Value extends object>(value: Value): Value {
  const aside: object[] = [];
  freeze(value, DEPTH, aside);
  for (let next = aside.pop(); next !== undefined; next = aside.pop()) freeze(next, DEPTH, aside);
  return value;
}

function freeze(value: object, depth: number, aside: object[]): void {
  if (Object.isFrozen(value)) return;
  if (depth === 0) {
    aside.push(value);
  } else if (Array.isArray(value)) {
    Object.freeze(value);
    for (const item of value) if (typeof item === "object" && item !== null) freeze(item, depth - 1, aside);
  } else if (isPlain(value)) {
    Object.freeze(value);
    for (const key in value) {
      const member: unknown = value[key as keyof typeof value];
      if (typeof member === "object" && member !== null) freeze(member, depth - 1, aside);
    }
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Checks that entries can be the next ones of a task's log, before any of them is stored.
 * @throws TypeError saying which one cannot
 */
export function checkEntries(taskId: string, after: number, entries: readonly LogEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const generation = after + index + 1;
    const fault = faultOf(entry, taskId, generation, index === entries.length - 1);
    if (fault !== undefined) throw new TypeError(`Entry ${generation} of task ${taskId} ${fault}`);
  }
}

/** Whether no entry can follow this one. */
export function endsTask(entry: LogEntry | undefined): boolean {
  const { task, statusUpdate } = entry?.event ?? {};
  const state = (task ?? statusUpdate)?.status.state;
  return state !== undefined && isTerminal(state);
}

function faultOf(entry: LogEntry, taskId: string, generation: number, isLast: boolean): string | undefined {
  const { task, statusUpdate, artifactUpdate } = entry.event;
  if ((task !== undefined) !== (generation === 1))
    return "is a task where none belongs, or none where one does";
  const owner = task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
  if (owner !== taskId) return "belongs to another task";
  return !isLast && endsTask(entry) ? "ends the task before the last entry" : undefined;
}

/** Entries in their place behind a generation, frozen all the way down, events tagged for those who send them on. */
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
