import { EventStream } from "../driver/event-stream.js";
import { cpuFor } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const CHUNKS = 10_000;
/** The published SDK needs minutes for the whole, since each chunk costs it more than the one before. A part flatters it. */
const QUICK_PART_OF_SDK = 0.15;

/** One artifact in many chunks: does a chunk cost more when there are many before it? */
export const chunks: Workload = {
  name: "10,000 chunks",
  about: "One artifact streamed in 10,000 chunks to one reader.",
  measures: [
    { key: "cpu", label: "CPU per chunk", goal: 1.6 },
    { key: "growth", label: "last quarter against first", unit: "×", goal: 1.1 },
  ],
  often: 3,
  async visit(server, { scale }) {
    const part = server.name === "sdk" && scale <= 1 ? QUICK_PART_OF_SDK : 1;
    const count = Math.ceil(CHUNKS * Math.min(scale, 1) * part);
    // Besides the chunks there are the task and its end.
    const frames = count + 2;
    const cpu = await cpuFor(server, async () => {
      const request = send(server.ready, `chunks ${count}`, "SendStreamingMessage");
      const stream = new EventStream(server.port, request);
      await stream.ended;
      if (stream.frames !== frames) throw new Error(`${stream.frames} frames of ${frames}`);
    });
    const [begin = 0, first = 0, , third = 0, end = 0] = await server.marks();
    return { cpu: cpu / count, growth: (end - third) / (first - begin) };
  },
};
