import type { Client } from "../../../../client/client.js";
import { foldTask } from "../../../../client/fold-task.js";
import type { StreamResponse, Task } from "../../../../protocol/model.js";
import { generationOf } from "../../../../task-log/log.js";
import { Trailing } from "../../session/trailing.js";

/** An event of a task's log. */
export interface LoggedEvent {
  /** Its place in the log; undefined when the agent does not number its events. */
  readonly generation: number | undefined;
  readonly event: StreamResponse;
}

/** What is needed to read a log. */
export interface LogReading {
  readonly client: Client;
  readonly taskId: string;
  readonly cancel: AbortSignal;
  readonly publish: (events: readonly LoggedEvent[]) => void;
}

/**
 * Reads the log of a task from its start, by resuming after its first event (`Last-Event-ID`), and follows it while the task works. An agent
 * that keeps no log answers with the task as it is.
 * @throws RemoteError for a task that has ended, when the agent keeps no log
 */
export async function readTaskLog({ client, taskId, cancel, publish }: LogReading): Promise<void> {
  const events: LoggedEvent[] = [];
  const progress = new Trailing(() => publish([...events]));
  const headers = { "Last-Event-ID": "1" };
  try {
    for await (const event of client.subscribeToTask({ id: taskId }, { headers, signal: cancel })) {
      events.push({ generation: generationOf(event), event: event as StreamResponse });
      progress.changed();
    }
  } finally {
    progress.flush();
  }
}

/** The task as it was after so many events. */
export function taskAfter(events: readonly LoggedEvent[], count: number): Task | undefined {
  const seen = events.slice(0, count).map(({ event }) => event);
  const start = seen.findLastIndex(({ task }) => task !== undefined);
  const first = seen[start]?.task;
  return first && (foldTask(first, seen.slice(start + 1)) as Task);
}

/** What a person should know of a log that does not begin at its start; undefined for one that is whole. */
export function logGap(events: readonly LoggedEvent[]): string | undefined {
  const [first] = events;
  if (first === undefined) return undefined;
  if (first.generation === undefined)
    return "This agent does not number its events. You see what has happened since you began to look.";
  if (first.generation > 1) return compacted(first.generation);
  return undefined;
}

function compacted(generation: number): string {
  const missing = generation === 2 ? "first event is" : `first ${generation - 1} events are`;
  return `The log was compacted: its ${missing} no longer kept. It begins with the task as it was after event ${generation}.`;
}
