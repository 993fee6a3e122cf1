import { EventStream } from "../driver/event-stream.js";
import { cpuFor } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const CHUNKS = 10_000;
/** A run is short for the fast ones; several of them make the quarters comparable. */
const RUNS = 3;
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
  async visit(server, { scale }) {
    let cpu = 0;
    const growth: number[] = [];
    const isSdk = server.name === "sdk";
    const part = isSdk && scale <= 1 ? QUICK_PART_OF_SDK : 1;
    const count = Math.ceil(CHUNKS * Math.min(scale, 1) * part);
    const runs = isSdk || scale < 1 ? 1 : RUNS * scale;
    // Besides the chunks there are the task and its end.
    const frames = count + 2;
    for (let index = 0; index < runs; index += 1) {
      cpu += await cpuFor(server, async () => {
        const request = send(server.ready, `chunks ${count}`, "SendStreamingMessage");
        const stream = new EventStream(server.port, request);
        await stream.ended;
        if (stream.frames !== frames) throw new Error(`${stream.frames} frames of ${frames}`);
      });
      const [begin = 0, first = 0, , third = 0, end = 0] = await server.marks();
      growth.push((end - third) / (first - begin));
    }
    return { cpu: cpu / runs / count, growth: growth.sort((a, b) => a - b)[growth.length >> 1] ?? 0 };
  },
};
