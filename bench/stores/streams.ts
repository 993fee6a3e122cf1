import { EventStream } from "../driver/event-stream.js";
import { cpuFor, quantile } from "../driver/load.js";
import { send } from "../driver/requests.js";
import { Server } from "../driver/server.js";
import type { TargetOptions } from "../targets/control.js";
import type { Findings } from "./measure.js";

const STREAMS = [1, 50, 500];
/** Words of each stream, one every 20 ms. */
const WORDS = 150;

/**
 * Streams at the rate of a language model, from the agent through the store to readers of a server in a process of its own.
 * @param folder where the compiled targets are
 */
export async function streamsOfModel(folder: string, options: TargetOptions): Promise<Findings> {
  const server = await Server.start(folder, "parley-stored", options);
  const found: Record<string, number | undefined> = {};
  try {
    // The first streams include the time for compiling the code.
    await run(server, 50);
    for (const streams of STREAMS) {
      const { events, seconds, cpu, statements, delays } = await run(server, streams);
      const name = streams === 1 ? "1 stream" : `${streams} streams`;
      found[`${name}: events/s`] = events / seconds;
      found[`${name}: statements per event`] = statements / events;
      found[`${name}: µs of CPU per event`] = cpu / events;
      found[`${name}: p99 delay to the reader, ms`] = quantile(delays, 0.99);
    }
  } finally {
    await server.stop();
  }
  return found;
}

async function run(server: Server, streams: number) {
  const before = await server.statements();
  const begun = performance.now();
  const readers: EventStream[] = [];
  const cpu = await cpuFor(server, async () => {
    for (let index = 0; index < streams; index += 1) {
      const request = send(server.ready, `chunks model ${WORDS}`, "SendStreamingMessage");
      readers.push(new EventStream(server.port, request, { times: true }));
    }
    await Promise.all(readers.map(({ ended }) => ended));
  });
  const seconds = (performance.now() - begun) / 1000;
  // A stream that was silent for long has comments too.
  for (const { frames } of readers)
    if (frames < WORDS + 2) throw new Error(`${frames} frames of ${WORDS + 2}`);
  const statements = (await server.statements()) - before;
  return {
    ...{ events: streams * WORDS, seconds, cpu, statements },
    delays: readers.flatMap(({ delays }) => delays),
  };
}
