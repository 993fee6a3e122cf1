import { generationIn } from "../../protocol/generations.js";
import type { Received, StreamResponse, Task } from "../../protocol/model.js";
import type { StreamSource } from "./follow-stream.js";
import type { afterGap } from "./gap.js";
import type { gapError } from "./position.js";

/** What to do about missed events. */
interface Counting {
  readonly onGap: "report" | "throw";
  /** Functions of the client. They are passed in, so that this file, which is imported on demand, loads no module of the client. */
  readonly afterGap: typeof afterGap;
  readonly gapError: typeof gapError;
}

/** The state of a stream across all its connections. */
interface StreamState extends Counting {
  /** A task or update had no positive number, or two updates in a row had the same one: the agent's numbers are no longer used. */
  isUnusable: boolean;
  /** Reads the task. */
  readonly read: (taskId: string) => Promise<Received<Task>>;
}

/** A source with the same calls, whose streams are checked for generations that were skipped. */
export function countingSource(source: StreamSource, options: Counting): StreamSource {
  const state = { ...options, isUnusable: false };
  const counted = (events: AsyncIterable<Received<StreamResponse>>, signal: AbortSignal) =>
    countGenerations(events, Object.assign(state, { read: (id: string) => source.read(id, signal) }));
  return {
    open: async (signal) => counted(await source.open(signal), signal),
    subscribe: async (from, signal) => counted(await source.subscribe(from, signal), signal),
    read: source.read,
  };
}

/**
 * The events of one connection. When an update skips a number, the client reads the task and yields it, marked with the gap, instead of
 * the update. Updates of a generation that the reader has already reached are left out. If the next update has the same number as one that
 * was left out, that one is yielded after all: such numbers do not show what the task includes, and are no longer used.
 * @throws ClientError STREAM_GAP for a gap, if `onGap` is `"throw"`; the errors of `events` and of reading the task
 */
async function* countGenerations(
  events: AsyncIterable<Received<StreamResponse>>,
  state: StreamState,
): AsyncGenerator<Received<StreamResponse>> {
  const { onGap, read, afterGap, gapError } = state;
  // The generation that the reader has reached, and that of the last update. A snapshot has the generation of the last update in it.
  let last: number | undefined;
  let lastUpdate: number | undefined;
  // The last update, if it was left out.
  let leftOut: Received<StreamResponse> | undefined;
  for await (const event of events) {
    const update = event.statusUpdate ?? event.artifactUpdate;
    const generation = generationIn(update ?? event.task) ?? 0;
    if (event.message === undefined) {
      const isRepeated = update !== undefined && generation === lastUpdate;
      state.isUnusable ||= !(generation > 0) || isRepeated;
      if (isRepeated && leftOut !== undefined) yield leftOut;
      leftOut = undefined;
    }
    if (state.isUnusable || update === undefined) {
      last = generation;
      yield event;
      continue;
    }
    lastUpdate = generation;
    const after = last ?? generation - 1;
    if (generation <= after) {
      leftOut = event;
      continue;
    }
    last = generation;
    if (generation === after + 1) {
      yield event;
      continue;
    }
    if (onGap === "throw") throw gapError(update.taskId);
    const task = await read(update.taskId);
    last = generationIn(task) ?? generation;
    yield afterGap({ task }, { reason: "missed", after });
  }
}
