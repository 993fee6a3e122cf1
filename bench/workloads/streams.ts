import type { Workload } from "../workload.js";
import { allAtOnce, likeModel, measuresOf, oncePerTurn, type Pace, streamAll } from "./pace.js";

const STREAMS = 16;
const EVENTS = 1000;
const PACED_STREAMS = 200;
const PACED_EVENTS = 75;
/** The published SDK needs half a minute for the whole, since each event costs it more than the one before. A part flatters it. */
const QUICK_PART_OF_SDK = 0.1;
const PACED_PART_OF_SDK = 0.3;

/** Several streams at a time, of progress messages. The pace that is published first is one event per turn of the event loop. */
export const streamsPerTurn = several(oncePerTurn, 1.3);
export const streamsAtOnce = several(allAtOnce, 1.5);

/** As many streams as a busy agent has, each at the rate of a language model: here nothing travels together. */
export const streamsOfModel: Workload = {
  name: `${PACED_STREAMS} streams, ${likeModel.says}`,
  about: `Progress messages of ${PACED_STREAMS} tasks at a time, one reader each, an event every 20 ms each.`,
  measures: measuresOf(likeModel, "event", 1.5),
  visit: (server, { scale }) => {
    const part = server.name === "sdk" && scale <= 1 ? PACED_PART_OF_SDK : 1;
    const count = Math.ceil(PACED_EVENTS * Math.min(scale, 1) * part);
    return streamAll(server, likeModel, { command: "events", streams: PACED_STREAMS, count });
  },
};

function several(pace: Pace, goal: number): Workload {
  return {
    name: `${STREAMS} streams of 1,000 events, ${pace.says}`,
    about: `Progress messages, ${pace.says}, ${STREAMS} tasks at a time, one reader each.`,
    measures: measuresOf(pace, "event", goal),
    often: 2,
    visit: (server, { scale }) => {
      const part = server.name === "sdk" && scale <= 1 ? QUICK_PART_OF_SDK : 1;
      const count = Math.ceil(EVENTS * Math.min(scale, 1) * part);
      return streamAll(server, pace, { command: "events", streams: STREAMS, count });
    },
  };
}
