import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { quantile } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const STREAMS = 60;
/** Milliseconds in which the server falls asleep. */
const PAUSE = 10;

/** How long a reader waits for the first event of a stream, on the clock, when the server has nothing else to do. */
export const firstEvent: Workload = {
  name: "first event",
  about:
    "From a request on an open connection to the first event of its stream, one at a time, on the clock.",
  measures: [{ key: "time", label: "time to the first event", goal: 2.5 }],
  often: 2,
  async visit({ port, ready }, { scale }) {
    const times: number[] = [];
    for (let index = 0; index < STREAMS; index += 1) {
      const socket = connect(port, "127.0.0.1").setNoDelay(true);
      await once(socket, "connect");
      if (scale >= 1) await setTimeout(PAUSE);
      const request = send(ready, "events turn 1", "SendStreamingMessage");
      const begun = performance.now();
      socket.write(request);
      await new Promise<void>((resolve, reject) => {
        let text = "";
        socket.once("close", () => reject(new Error(`No event: ${text}`)));
        socket.on("data", (bytes) => {
          text += bytes.toString("latin1");
          if (text.includes("data:") && text.includes("\n\n", text.indexOf("data:"))) resolve();
        });
      });
      times.push(performance.now() - begun);
      socket.destroy();
    }
    return { time: quantile(times, 0.5) ?? Number.NaN };
  },
};
