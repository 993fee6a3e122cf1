import { EventStream } from "../driver/event-stream.js";
import { type Cost, costOf, quantile } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Server } from "../driver/server.js";
import type { Findings, Measure } from "../workload.js";

/** Readers whose delays are noted: reading them costs the driver something. */
export const TIMED = 10;

/** The most milliseconds by which events may arrive later than those of a server that writes each at once. */
const LATER = 2;

/** How fast an agent gives its words. A benchmark of streams has to say which it was: words of one turn travel together. */
export interface Pace {
  /** As it stands before the number in a command. */
  readonly word: string;
  /** As it stands in the name of a workload. */
  readonly says: string;
}

export const oncePerTurn: Pace = { word: "turn ", says: "one per turn of the loop" };
export const allAtOnce: Pace = { word: "", says: "all at once" };
export const likeModel: Pace = { word: "model ", says: "one every 20 ms" };
export const everyFew: Pace = { word: "few ", says: "one every 4 ms" };

/** What is measured of events at a pace: their cost and, if they hold the time at which they were given, how long they take. */
export function measuresOf(pace: Pace, one: string, goal: number | undefined): Measure[] {
  const cpu = { key: "cpu", label: `CPU per ${one}`, ...(goal !== undefined && { goal }) };
  const writes = { key: "writes", label: `writes to sockets per ${one}`, unit: "" };
  const late = {
    key: "late",
    label: "p99 delay to the reader",
    unit: "ms",
    goal: LATER,
    aboveFloor: true,
  } as const;
  return pace === allAtOnce ? [cpu, writes] : [cpu, writes, late];
}

/** What was found of so many events; of some of their readers the delays were noted. */
export function findingsOf({ cpu, writes }: Cost, count: number, readers: readonly EventStream[]): Findings {
  const late = quantile(
    readers.flatMap(({ delays }) => delays),
    0.99,
  );
  return {
    cpu: cpu / count,
    ...(!Number.isNaN(writes) && { writes: writes / count }),
    ...(late !== undefined && { late }),
  };
}

/** Tasks at a time, and what each of them is told to say. */
interface Streams {
  readonly command: "events" | "chunks";
  readonly streams: number;
  readonly count: number;
}

/** Opens streams, reads each to its end, and checks that none has lost a frame. */
export async function streamAll(
  server: Server,
  { word }: Pace,
  { command, streams, count }: Streams,
): Promise<Findings> {
  // Besides the words there are the task and its end.
  const wanted = count + 2;
  const open: EventStream[] = [];
  const cost = await costOf(server, async () => {
    for (let index = 0; index < streams; index += 1) {
      const request = send(server.ready, `${command} ${word}${count}`, "SendStreamingMessage");
      open.push(new EventStream(server.port, request, { times: word !== "" && index < TIMED }));
    }
    await Promise.all(open.map((stream) => stream.ended));
    for (const { frames } of open) if (frames !== wanted) throw new Error(`${frames} frames of ${wanted}`);
  });
  return findingsOf(cost, streams * count, open);
}
