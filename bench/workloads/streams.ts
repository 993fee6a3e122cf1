import { EventStream } from "../driver/event-stream.js";
import { cpuFor } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const STREAMS = 16;
const EVENTS = 1000;
/** The published SDK needs half a minute for the whole, since each event costs it more than the one before. A part flatters it. */
const QUICK_PART_OF_SDK = 0.1;

/** Several streams at a time, of progress messages. */
export const streams: Workload = {
  name: "16 streams of 1,000 events",
  about: "Progress messages as fast as they can be written, 16 tasks at a time, one reader each.",
  measures: [{ key: "cpu", label: "CPU per event", goal: 1.5 }],
  often: 2,
  async visit(server, { scale }) {
    const part = server.name === "sdk" && scale <= 1 ? QUICK_PART_OF_SDK : 1;
    const count = Math.ceil(EVENTS * Math.min(scale, 1) * part);
    // Besides the messages there are the task and its end.
    const wanted = count + 2;
    const cpu = await cpuFor(server, async () => {
      const open = Array.from(
        { length: STREAMS },
        () => new EventStream(server.port, send(server.ready, `events ${count}`, "SendStreamingMessage")),
      );
      await Promise.all(open.map((stream) => stream.ended));
      for (const { frames } of open) if (frames !== wanted) throw new Error(`${frames} frames of ${wanted}`);
    });
    return { cpu: cpu / STREAMS / count };
  },
};
