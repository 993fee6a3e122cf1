import type { Received, StreamResponse } from "../../../protocol/model.js";
import { textOf } from "../../../protocol/parts.js";
import { stateOfTask, stateWord } from "../talk/state-words.js";
import type { Turn, TurnEvent } from "../talk/turn.js";
import type { TurnTimeline } from "./turn-timeline.js";

/** What happened at a moment of a turn. */
export interface Happening {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: "sent" | "line" | "event" | "heartbeat" | "cut" | "gap" | "end";
  readonly text: string;
  /** Position of an event in the log of its task. */
  readonly generation?: number | undefined;
  readonly event?: Received<StreamResponse>;
}

/** Everything that happened in a turn, in order. */
export function happeningsOf(turn: Turn, { connections, heartbeats }: TurnTimeline): readonly Happening[] {
  const { message, startedAt, endedAt, problem, mode } = turn;
  const all: Happening[] = [
    {
      at: startedAt,
      kind: "sent",
      text: message === undefined ? "Subscription sent" : `Message sent: ${begin(textOf(message))}`,
    },
  ];
  const streams = connections.filter(({ connection }) => connection.isStream);
  for (const { connection, replayed, to } of streams) {
    const { after, openedAt, end, problem: why } = connection;
    if (openedAt !== undefined) all.push({ at: openedAt, kind: "line", text: lineText(after, replayed) });
    if (end === "cut" || end === "failed")
      all.push({ at: to, kind: "cut", text: `Line broken: ${why ?? end}` });
  }
  for (const { connection } of connections) {
    const { isStream, endedAt: at, status, end, startedAt: from } = connection;
    if (isStream || at === undefined) continue;
    const text = end === "failed" ? "No answer: the agent was not reached" : `Answer with status ${status}`;
    all.push({ at, kind: end === "failed" ? "cut" : "line", text: `${text}, after ${at - from} ms` });
  }
  for (const at of heartbeats) all.push({ at, kind: "heartbeat", text: "Heartbeat" });
  const names = new Map<string, string>();
  for (const each of turn.events) {
    const { artifactId = "", name } = each.event.artifactUpdate?.artifact ?? {};
    if (name !== undefined) names.set(artifactId, name);
    if (each.gap !== undefined)
      all.push({ at: each.at, kind: "gap", text: "Gap: events before the next one were missed" });
    all.push({ at: each.at, kind: "event", generation: each.generation, ...eventOf(each, names) });
  }
  if (endedAt !== undefined)
    all.push({ at: endedAt, kind: "end", text: problem === undefined ? endText(mode) : `Ended: ${problem}` });
  return all.sort((one, other) => one.at - other.at);
}

function endText(mode: Turn["mode"]): string {
  return mode === "stream" || mode === "subscribe" ? "The stream has ended" : "The answer is complete";
}

function lineText(after: string | undefined, replayed: number): string {
  if (after === undefined) return "Stream open";
  const events = replayed === 1 ? "1 missed event was" : `${replayed} missed events were`;
  return `Stream open again, from event ${after} on; ${events} replayed`;
}

function eventOf({ event }: TurnEvent, names: ArtifactNames): Pick<Happening, "text" | "event"> {
  return { text: eventLine(event, names), event };
}

/** Names of artifacts by id: most agents send the name with the first chunk only. */
type ArtifactNames = ReadonlyMap<string, string>;

/**
 * An event in a line.
 * @param names of artifacts that earlier events have named
 */
export function eventLine(
  { task, message, statusUpdate, artifactUpdate }: Received<StreamResponse>,
  names: ArtifactNames = new Map(),
): string {
  if (message !== undefined) return `Message: ${begin(textOf(message))}`;
  if (task !== undefined) return `Task: ${stateWord(stateOfTask(task)).text}`;
  if (statusUpdate !== undefined) {
    const { state, message: said } = statusUpdate.status ?? {};
    return `Status: ${stateWord(state).text}${said === undefined ? "" : `. ${begin(textOf(said))}`}`;
  }
  if (artifactUpdate === undefined) return "An event of an unknown kind";
  const { artifact, append, lastChunk } = artifactUpdate;
  const how = `${append ? "more of " : ""}${artifact.name ?? names.get(artifact.artifactId) ?? artifact.artifactId}${lastChunk ? " (last chunk)" : ""}`;
  return `Artifact: ${how}. ${begin(textOf(artifact))}`;
}

function begin(text: string): string {
  const line = text.slice(0, 100).replaceAll(/\s+/g, " ").trim();
  return text.length > 100 ? `${line} …` : line;
}
