import type { Received, StreamResponse } from "../../protocol/model.js";

/**
 * Events that the stream of a task missed. The event that reports the gap is a snapshot of the task after the missed events, so a reader
 * that folds the stream has the current task again. Only the individual steps are lost.
 */
export interface Gap {
  /**
   * - `missed`: the client has reconnected, and the task differs from the events received before; or, in versions whose events have
   *   generations, a generation was skipped
   * - `polled`: the client polls the task, because it cannot be streamed, and it has changed since the last event or poll
   * - `ended`: as `polled`, and the task has ended or, in the stream of a send, waits for its caller
   * - `diverged`: the client has reconnected, and at the end of the stream the task differs from the received events
   */
  readonly reason: "missed" | "ended" | "polled" | "diverged";
  /** Generation of the last event before the gap; undefined if it is not known. */
  readonly after: number | undefined;
}

const GAP = Symbol.for("a2a-parley.gap");

/** Returns a copy of the snapshot after a gap, marked with the gap. The mark is not part of JSON or of further copies. */
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
