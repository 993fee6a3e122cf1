import { randomUUID } from "node:crypto";
import { Connection } from "../driver/connection.js";
import { EventStream } from "../driver/event-stream.js";
import { expect } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Server } from "../driver/server.js";
import type { Workload } from "../workload.js";

const EVENTS = 200;
/** The published SDK copies all that there is for each event. In a quick run it gets half of them, and what it holds counts twice. */
const QUICK_PART_OF_SDK = 0.5;
const MIB = 1024 * 1024;

/** A reader that stops: how much does the server keep for it? */
export const slowReader: Workload = {
  name: "reader that stops",
  about:
    "200 events of 64 KiB to a reader that takes nothing, against one that takes all: what is held besides the task.",
  measures: [{ key: "held", label: "memory held", unit: "MiB", goal: 1 }],
  rounds: 1,
  fresh: true,
  together: true,
  async visit(server, { scale }) {
    const part = server.name === "sdk" && scale <= 1 ? QUICK_PART_OF_SDK : 1;
    const events = EVENTS * part;
    // What is remembered for all readers grows to its bound first. The published SDK remembers nothing, and needs long for each.
    const rounds = server.name === "sdk" ? 0 : 3;
    for (let round = 0; round < rounds; round += 1) await flood(server, events, false);
    const before = await server.memory();
    await flood(server, events, false);
    const read = await server.memory();
    const stalled = await flood(server, events, true);
    const after = await server.memory();
    stalled.close();
    return { held: (after.held - read.held - (read.held - before.held)) / MIB / part };
  },
};

/** Has a task made whose events are 64 KiB each, with one reader. Ends when the task has ended. */
async function flood(server: Server, events: number, stalled: boolean): Promise<EventStream> {
  const { port, ready } = server;
  const key = randomUUID();
  const stream = new EventStream(port, send(ready, `flood ${key} ${events}`, "SendStreamingMessage"), {
    stalled,
  });
  const connection = await Connection.open(port);
  // The last of the opened gate's words has been said when a later request of the same kind is answered.
  expect("opened")(await connection.request(send(ready, `open ${key}`)));
  expect("TASK_STATE_COMPLETED")(await connection.request(send(ready, `events ${events}`)));
  if (!stalled) await stream.ended;
  connection.close();
  return stream;
}
