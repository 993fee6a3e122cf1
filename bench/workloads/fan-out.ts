import { randomUUID } from "node:crypto";
import { Connection } from "../driver/connection.js";
import { EventStream } from "../driver/event-stream.js";
import { costOf, expect } from "../driver/load.js";
import { call, send } from "../driver/requests.js";
import type { Workload } from "../workload.js";
import { allAtOnce, findingsOf, likeModel, measuresOf, oncePerTurn, type Pace, TIMED } from "./pace.js";

const SUBSCRIBERS = 200;
const EVENTS = 200;
const PACED_EVENTS = 75;

export const fanOutPerTurn = fanOut(oncePerTurn, 0.8);
export const fanOutAtOnce = fanOut(allAtOnce, 0.8);
export const fanOutOfModel = fanOut(likeModel);

/** One task that many watch. */
function fanOut(pace: Pace, goal?: number): Workload {
  return {
    name: `fan-out, ${pace.says}`,
    about: `One task with ${SUBSCRIBERS} subscribers, progress messages of 1 KiB, ${pace.says}.`,
    measures: measuresOf(pace, "delivery", goal),
    async visit(server, { scale }) {
      const { port, ready } = server;
      const events = Math.ceil((pace === likeModel ? PACED_EVENTS : EVENTS) * Math.min(scale, 1));
      const key = randomUUID();
      const begin = send(ready, `gate ${key} ${pace.word}${events}`, "SendStreamingMessage");
      const first = new EventStream(port, begin, { keep: true });
      await first.until(1);
      const event = JSON.parse(first.data()[0] ?? "").result;
      const { id } = event.task;
      const subscribe = call(ready, "SubscribeToTask", { id });
      const subscribers = Array.from(
        { length: SUBSCRIBERS - 1 },
        (_, index) => new EventStream(port, subscribe, { times: index < TIMED }),
      );
      await Promise.all(subscribers.map((stream) => stream.until(1)));
      const connection = await Connection.open(port);
      const cost = await costOf(server, async () => {
        expect("opened")(await connection.request(send(ready, `open ${key}`)));
        await Promise.all([first, ...subscribers].map((stream) => stream.ended));
      });
      connection.close();
      for (const { frames } of subscribers) {
        if (frames !== events + 2) throw new Error(`${frames} frames of ${events + 2}`);
      }
      return findingsOf(cost, SUBSCRIBERS * (events + 1), subscribers);
    },
  };
}
