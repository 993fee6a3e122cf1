import type { Received, StreamResponse } from "../../protocol/model.js";

/**
 * Events that the stream of a task missed. The event that reports the gap is a snapshot of the task after the missed events, so a reader
 * that folds the stream has the complete task again. Only the individual steps are lost.
 */
export interface Gap {
  /**
   * - `missed`: the connection was cut, and the agent did not send the events since then; or, in versions whose events have
   *   generations, a generation was skipped
   * - `ended`: the stream ended without these events, because the task had ended, or waited for its caller, before the client had
   *   reconnected or polled it again
   * - `polled`: the agent does not support subscriptions, and the task has changed since the last event or poll
   * - `diverged`: the connection was cut, and at the end the task differs from the received events
   */
  readonly reason: "missed" | "ended" | "polled" | "diverged";
  /** Generation of the last event before the gap; undefined if it is not known. */
  readonly after: number | undefined;
}

const GAP = Symbol.for("a2a-parley.gap");

/** Returns a marked copy of the snapshot after a gap. The mark is a symbol property that is not enumerable: JSON does not contain it. */
export function afterGap(event: Received<StreamResponse>, gap: Gap): Received<StreamResponse> {
  return Object.defineProperty({ ...event }, GAP, { value: Object.freeze(gap) });
}

/**
 * The gap before an event of a stream; undefined when there is none. Pass the event that the stream has yielded: a copy has no mark.
 *
 * @example
 * ```ts
 * for await (const event of client.stream("hello")) {
 *   if (gapBefore(event)) console.warn("Some events were missed");
 * }
 * ```
 */
export function gapBefore(event: Received<StreamResponse>): Gap | undefined {
  return (event as { readonly [GAP]?: Gap } | undefined)?.[GAP];
}
