import { setTimeout } from "node:timers/promises";
import { EventStream } from "../driver/event-stream.js";
import { cpuFor, quantile } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

/** As many as Parley lets one caller have. */
const STREAMS = 1000;
/** Milliseconds in which the server comes to rest after it has opened them. */
const REST = 2_000;
/** Milliseconds between two heartbeats of Parley. */
const WINDOW = 15_000;
/** The median counts, because V8 collects garbage twice more when the process has become idle, for as much CPU time as half a minute takes. */
const WINDOWS = 5;

/** Streams whose agents say nothing: what it costs to keep them open, with the comments that keep proxies from cutting them. */
export const waitingStreams: Workload = {
  name: "1,000 streams that wait",
  about: "A thousand tasks of one caller that say nothing, one reader each.",
  measures: [{ key: "cpu", label: "CPU per second", unit: "ms", goal: 3 }],
  rounds: 1,
  fresh: true,
  together: true,
  async visit(server) {
    const { port, ready } = server;
    const open = Array.from(
      { length: STREAMS },
      () => new EventStream(port, send(ready, "hold", "SendStreamingMessage")),
    );
    await Promise.all(open.map((stream) => stream.until(1)));
    await setTimeout(REST);
    // The garbage of the opening is collected before, because a server does so once, and waits for hours.
    await server.memory();
    const used: number[] = [];
    while (used.length < WINDOWS) used.push(await cpuFor(server, () => setTimeout(WINDOW)));
    for (const stream of open) stream.close();
    // Microseconds by the millisecond are milliseconds by the second.
    return { cpu: (quantile(used, 0.5) ?? Number.NaN) / WINDOW };
  },
};
