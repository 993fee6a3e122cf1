import { tag } from "../task/generation.js";
import { deepFreeze } from "./deep-freeze.js";
import type { LogEntry, StoredEntry } from "./task-store.js";

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
