import { randomUUID } from "node:crypto";
import { Connection } from "../driver/connection.js";
import { EventStream } from "../driver/event-stream.js";
import { cpuFor, expect } from "../driver/load.js";
import { call, send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const SUBSCRIBERS = 200;
const EVENTS = 200;

/** One task that many watch. */
export const fanOut: Workload = {
  name: "fan-out",
  about: "One task with 200 subscribers, 200 progress messages of 1 KiB.",
  measures: [{ key: "cpu", label: "CPU per delivery", goal: 0.8 }],
  async visit(server, { scale }) {
    const { port, ready } = server;
    const events = EVENTS * Math.min(scale, 1);
    const key = randomUUID();
    const first = new EventStream(port, send(ready, `gate ${key} ${events}`, "SendStreamingMessage"), {
      keep: true,
    });
    await first.until(1);
    const event = JSON.parse(first.data()[0] ?? "").result;
    const { id } = event.task;
    const subscribers = Array.from(
      { length: SUBSCRIBERS - 1 },
      () => new EventStream(port, call(ready, "SubscribeToTask", { id })),
    );
    await Promise.all(subscribers.map((stream) => stream.until(1)));
    const connection = await Connection.open(port);
    const cpu = await cpuFor(server, async () => {
      expect("opened")(await connection.request(send(ready, `open ${key}`)));
      await Promise.all([first, ...subscribers].map((stream) => stream.ended));
    });
    connection.close();
    for (const { frames } of subscribers) {
      if (frames !== events + 2) throw new Error(`${frames} frames of ${events + 2}`);
    }
    return { cpu: cpu / SUBSCRIBERS / (events + 1) };
  },
};
