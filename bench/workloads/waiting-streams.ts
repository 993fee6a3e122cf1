import { setTimeout } from "node:timers/promises";
import { EventStream } from "../driver/event-stream.js";
import { cpuFor } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

/** As many as Parley lets one caller have. */
const STREAMS = 1000;
/** Opening them takes the server some time, after which it comes to rest. */
const REST = 2_000;
/**
 * Milliseconds after a collection of garbage in which V8 collects twice more, because the process has little to do: for as much CPU time as
 * half a minute of waiting takes.
 */
const COLLECTING = 30_000;
/** Milliseconds: longer than two heartbeats of Parley are apart. */
const TIME = 32_000;

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
    await setTimeout(COLLECTING);
    const cpu = await cpuFor(server, () => setTimeout(TIME));
    for (const stream of open) stream.close();
    // Microseconds by the millisecond are milliseconds by the second.
    return { cpu: cpu / TIME };
  },
};
