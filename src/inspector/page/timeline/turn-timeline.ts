import type { Open, TaskState } from "../../../protocol/model.js";
import type { LineConnection } from "../talk/line.js";
import type { Turn } from "../talk/turn.js";

/** A time from one moment to another, in milliseconds since 1970. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** A state of the task, as long as it lasted. */
export interface StateSpan extends TimeSpan {
  readonly state: Open<TaskState>;
}

/** An artifact from its first chunk to its last. */
export interface ArtifactSpan extends TimeSpan {
  readonly id: string;
  readonly name: string;
  /** When each chunk came. */
  readonly times: readonly number[];
}

/** A connection of the turn. */
export interface ConnectionSpan extends TimeSpan {
  readonly connection: LineConnection;
  /** Events that came at once after the connection was open again: those that the page had missed. */
  readonly replayed: number;
}

/** Milliseconds between events; undefined when there are too few. */
export interface Latency {
  readonly first: number | undefined;
  readonly median: number | undefined;
  readonly longest: number | undefined;
}

/** A turn over time. */
export interface TurnTimeline extends TimeSpan {
  readonly states: readonly StateSpan[];
  readonly artifacts: readonly ArtifactSpan[];
  readonly connections: readonly ConnectionSpan[];
  readonly heartbeats: readonly number[];
  /** Where events were missed. */
  readonly gaps: readonly number[];
  readonly latency: Latency;
}

/**
 * A turn over time.
 * @param now ends what has not ended
 */
export function turnTimeline(turn: Turn, now: number): TurnTimeline {
  const to = turn.endedAt ?? Math.max(now, turn.events.at(-1)?.at ?? 0);
  const heartbeats = turn.connections.flatMap(({ frames }) =>
    frames.filter(({ isHeartbeat }) => isHeartbeat).map(({ at }) => at),
  );
  return {
    ...{ from: turn.startedAt, to },
    states: statesOf(turn, to),
    artifacts: artifactsOf(turn),
    connections: turn.connections.map((connection) => ({
      from: connection.startedAt,
      to: connection.endedAt ?? to,
      connection,
      replayed: replayedBy(connection),
    })),
    heartbeats,
    gaps: turn.events.filter(({ gap }) => gap !== undefined).map(({ at }) => at),
    latency: latencyOf(turn),
  };
}

function statesOf({ events }: Turn, to: number): readonly StateSpan[] {
  const begun: { from: number; state: Open<TaskState> }[] = [];
  for (const { at, event } of events) {
    const state = (event.task ?? event.statusUpdate)?.status?.state;
    if (state !== undefined && begun.at(-1)?.state !== state) begun.push({ from: at, state });
  }
  return begun.map((span, index) => ({ ...span, to: begun[index + 1]?.from ?? to }));
}

function artifactsOf({ events }: Turn): readonly ArtifactSpan[] {
  const found = new Map<string, { name: string; times: number[] }>();
  for (const { at, event } of events) {
    const artifact = event.artifactUpdate?.artifact;
    const all = artifact === undefined ? (event.task?.artifacts ?? []) : [artifact];
    for (const { artifactId, name } of all) {
      const known = found.get(artifactId);
      if (known === undefined) found.set(artifactId, { name: name ?? artifactId, times: [at] });
      // A snapshot says nothing new of an artifact that is known.
      else if (artifact !== undefined) known.times.push(at);
    }
  }
  return Array.from(found, ([id, { name, times }]) => ({
    ...{ id, name, times, from: times[0] ?? 0, to: times.at(-1) ?? 0 },
  }));
}

/** Events that come so soon after the first of a connection, in milliseconds, were waiting for it. */
const AT_ONCE = 50;

function replayedBy({ after, frames }: LineConnection): number {
  if (after === undefined) return 0;
  // The task itself may come first, under the number of the last event that is known.
  const missed = frames.filter(({ id }) => Number(id) > Number(after));
  const begin = missed[0]?.at ?? 0;
  return missed.filter(({ at }) => at - begin <= AT_ONCE).length;
}

function latencyOf({ startedAt, events }: Turn): Latency {
  const [first] = events;
  const between = events.slice(1).map(({ at }, index) => at - (events[index]?.at ?? at));
  between.sort((one, other) => one - other);
  return {
    first: first === undefined ? undefined : first.at - startedAt,
    median: between[Math.floor(between.length / 2)],
    longest: between.at(-1),
  };
}
