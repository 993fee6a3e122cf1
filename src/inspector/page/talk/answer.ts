import { sameJson } from "../../../json/same-json.js";
import type { Artifact, Message, Open, Part, Received, Task, TaskState } from "../../../protocol/model.js";
import { textPart } from "../../../protocol/parts.js";
import { type Turn, taskIdOf } from "./turn.js";

/** What a turn shows of its answer, in the order in which it came. */
export interface TurnAnswer {
  /** States through which the task went, without repetitions. */
  readonly states: readonly Open<TaskState>[];
  /** Messages of the agent: with a status, or instead of a task. */
  readonly messages: readonly {
    readonly message: Received<Message>;
    readonly state: Open<TaskState> | undefined;
  }[];
  /** Artifacts that this turn has made or changed. */
  readonly artifacts: readonly Received<Artifact>[];
  /** Whether events before one of its events were missed. */
  readonly hasGap: boolean;
}

/**
 * What came back in a turn.
 * @param earlier the same task at the end of the turn before, whose artifacts are not shown again
 */
export function turnAnswer(
  turn: Pick<Turn, "events" | "task" | "reply">,
  earlier?: Received<Task>,
): TurnAnswer {
  const states: Open<TaskState>[] = [];
  const messages: { message: Received<Message>; state: Open<TaskState> | undefined }[] = [];
  const shown = new Set(earlier?.status?.message === undefined ? [] : [earlier.status.message.messageId]);
  let hasGap = false;
  for (const { event, gap } of turn.events) {
    hasGap ||= gap !== undefined;
    const status = event.task?.status ?? event.statusUpdate?.status;
    if (status?.state !== undefined && states.at(-1) !== status.state) states.push(status.state);
    const message = status?.message ?? event.message;
    if (message === undefined || shown.has(message.messageId)) continue;
    shown.add(message.messageId);
    messages.push({ message, state: status?.state });
  }
  const artifacts = (turn.task?.artifacts ?? []).filter((artifact) => {
    const before = earlier?.artifacts?.find(({ artifactId }) => artifactId === artifact.artifactId);
    return before === undefined || !sameJson(before, artifact);
  });
  return { states, messages, artifacts, hasGap };
}

/** The task of a turn as it was after an earlier turn. */
export function earlierTask(turns: readonly Turn[], turn: Turn): Received<Task> | undefined {
  const id = taskIdOf(turn);
  if (id === undefined) return undefined;
  return turns.slice(0, turns.indexOf(turn)).findLast((other) => other.task?.id === id)?.task;
}

/** The tasks of a conversation, each as of the turn that knows most of it, the oldest first. */
export function tasksOf(turns: readonly Turn[]): readonly Received<Task>[] {
  const tasks = new Map<string, { readonly task: Received<Task>; readonly at: number }>();
  for (const { task, events } of turns) {
    const at = events.at(-1)?.at ?? 0;
    const known = task && tasks.get(task.id);
    if (task !== undefined && (known === undefined || at >= known.at)) tasks.set(task.id, { task, at });
  }
  return [...tasks.values()].map(({ task }) => task);
}

/**
 * Parts to show: texts of one type that follow each other are one, because agents stream a text in chunks.
 */
export function joinedParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  let texts: string[] = [];
  const close = () => {
    const last = joined.at(-1);
    if (texts.length > 1 && last !== undefined) joined[joined.length - 1] = textPart(texts.join(""), last);
    texts = [];
  };
  for (const part of parts) {
    const last = joined.at(-1);
    const isSame =
      part.text !== undefined &&
      last?.text !== undefined &&
      part.mediaType === last.mediaType &&
      part.filename === last.filename;
    if (isSame) texts.push(part.text);
    else {
      close();
      joined.push(part);
      texts = part.text === undefined ? [] : [part.text];
    }
  }
  close();
  return joined;
}
