import type { StreamResponse } from "../../protocol/model.js";

/**
 * Events of a task that a stream did not bring. The event that reports the gap is the task as it stands after it, so a reader
 * that folds the stream is complete again; only the single steps are lost.
 */
export interface Gap {
  /**
   * - `missed`: the connection was cut, and the agent could not continue where it was
   * - `ended`: the connection was cut, and the task ended before it was back
   * - `polled`: the agent cannot be subscribed to, and the task has changed since it was last asked for
   * - `diverged`: after a cut that seemed to have cost nothing the task turned out to differ from what was received
   */
  readonly reason: "missed" | "ended" | "polled" | "diverged";
  /** Generation of the last event before the gap, with agents that number events. */
  readonly after: number | undefined;
}

const GAP = Symbol.for("a2a-parley.gap");

/** The task behind a gap as an event that says so. The mark is no member: JSON and copies do not have it. */
export function behindGap(event: StreamResponse, gap: Gap): StreamResponse {
  return Object.defineProperty({ ...event }, GAP, { value: Object.freeze({ ...gap }) });
}

/** The gap in front of an event of a stream; undefined for nearly all of them. */
export function gapBefore(event: StreamResponse): Gap | undefined {
  return (event as { readonly [GAP]?: Gap })[GAP];
}
