import { Connection } from "../driver/connection.js";
import { EventStream } from "../driver/event-stream.js";
import { call, send } from "../driver/requests.js";
import type { Server } from "../driver/server.js";
import type { Workload } from "../workload.js";

/** Parley lets one caller have a thousand, unless it is told otherwise. */
const OPEN = 900;
const LEAVING = 6000;
/** What remains is told by stream, so fewer tell it too: a subscriber costs the published SDK more when many are there. */
const LEAVING_OF_SDK = 1000;
const AT_A_TIME = 200;
const KIB = 1024;

/** Streams in which nothing happens, and what remains of those that have ended. */
export const idleStreams: Workload = {
  name: "idle streams",
  about: "900 subscribers of a task that does nothing; then 6,000 more that come and go.",
  measures: [
    { key: "open", label: "heap per open stream", unit: "KiB", goal: 11 },
    { key: "left", label: "heap that remains per stream that was left", unit: "KiB", goal: 0.3 },
  ],
  rounds: 1,
  fresh: true,
  together: true,
  async visit(server) {
    const subscribe = await subscribersOf(server);
    const leaving = server.name === "sdk" ? LEAVING_OF_SDK : LEAVING;
    // What is made once, by the first of its kind, belongs to no stream.
    await comeAndGo(subscribe, AT_A_TIME);
    await gone(server);
    const before = await server.memory();
    const open = await subscribe(OPEN);
    const during = await server.memory();
    for (const stream of open) stream.close();
    await gone(server);
    const after = await server.memory();
    await comeAndGo(subscribe, leaving);
    await gone(server);
    const end = await server.memory();
    return {
      open: (during.heap - before.heap) / OPEN / KIB,
      left: Math.max(0, end.heap - after.heap) / leaving / KIB,
    };
  },
};

/** Starts a task that holds, and gives what opens streams to it. */
async function subscribersOf(server: Server): Promise<(count: number) => Promise<EventStream[]>> {
  const first = new EventStream(server.port, send(server.ready, "hold", "SendStreamingMessage"), {
    keep: true,
  });
  await first.until(1);
  const { id } = JSON.parse(first.data()[0] ?? "").result.task;
  return async (count) => {
    const request = call(server.ready, "SubscribeToTask", { id });
    const streams = Array.from({ length: count }, () => new EventStream(server.port, request));
    await Promise.all(streams.map((stream) => stream.until(1)));
    return streams;
  };
}

async function comeAndGo(subscribe: (count: number) => Promise<EventStream[]>, count: number): Promise<void> {
  for (let done = 0; done < count; done += AT_A_TIME) {
    for (const stream of await subscribe(AT_A_TIME)) stream.close();
  }
}

/** The server has seen every connection end that was closed before an answered request. */
async function gone(server: Server): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.request(send(server.ready, "echo still there?"));
  connection.close();
}
