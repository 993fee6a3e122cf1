import { runtime } from "#runtime";

let end: Promise<void> | undefined;

/**
 * Resolves at the end of this turn of the event loop, after the events that had arrived were handled. Responses that are sent then leave
 * together. Otherwise each would wake its reader while the next is still being computed, which costs the system about as much as writing
 * it. All callers of one turn share the promise.
 * @returns undefined on platforms that cannot run code at the end of a turn
 */
export function endOfTurn(): Promise<void> | undefined {
  if (runtime.afterTurn === undefined) return undefined;
  end ??= new Promise((resolve) => {
    runtime.afterTurn?.(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}
