import type { Measure, Workload } from "../workload.js";
import { allAtOnce, everyFew, likeModel, measuresOf, oncePerTurn, type Pace, streamAll } from "./pace.js";

const CHUNKS = 10_000;
/** The published SDK needs minutes for the whole, since each chunk costs it more than the one before. A part flatters it. */
const QUICK_PART_OF_SDK = 0.15;
const PACED_STREAMS = 200;
const PACED_CHUNKS = 75;
const PACED_PART_OF_SDK = 0.3;
const SLOW_CHUNKS = 400;

/** Against that of the bare server: its compilers come to rest within a run, too. */
const growth: Measure = { key: "growth", label: "last quarter against first", goal: 1.1 };

export const chunksPerTurn = many(oncePerTurn, 1.5);
export const chunksAtOnce = many(allAtOnce, 1.6);

/** One artifact in many chunks: does a chunk cost more when there are many before it? */
function many(pace: Pace, goal: number): Workload {
  return {
    name: `10,000 chunks, ${pace.says}`,
    about: `One artifact streamed in 10,000 chunks to one reader, ${pace.says}.`,
    measures: [...measuresOf(pace, "chunk", goal), growth],
    often: 3,
    async visit(server, { scale }) {
      const part = server.name === "sdk" && scale <= 1 ? QUICK_PART_OF_SDK : 1;
      const count = Math.ceil(CHUNKS * Math.min(scale, 1) * part);
      const found = await streamAll(server, pace, { command: "chunks", streams: 1, count });
      const [begin = 0, first = 0, , third = 0, end = 0] = await server.marks();
      return { ...found, growth: (end - third) / (first - begin) };
    },
  };
}

/** Artifacts of many tasks, each at the rate of a language model. */
export const chunksOfModel: Workload = {
  name: `chunks of ${PACED_STREAMS} streams, ${likeModel.says}`,
  about: `One artifact of each of ${PACED_STREAMS} tasks, one reader each, a chunk every 20 ms each.`,
  measures: measuresOf(likeModel, "chunk", 1.5),
  visit: (server, { scale }) => {
    const part = server.name === "sdk" && scale <= 1 ? PACED_PART_OF_SDK : 1;
    const count = Math.ceil(PACED_CHUNKS * Math.min(scale, 1) * part);
    return streamAll(server, likeModel, { command: "chunks", streams: PACED_STREAMS, count });
  },
};

/** A server that does nothing else: every chunk finds it asleep. */
export const oneReader: Workload = {
  name: `one reader, ${everyFew.says}`,
  about: `One artifact streamed to one reader, ${everyFew.says}.`,
  measures: measuresOf(everyFew, "chunk", undefined),
  // The compilers come to rest sooner when chunks come in a row.
  visit: (server, { scale }) =>
    streamAll(server, scale < 1 ? oncePerTurn : everyFew, {
      command: "chunks",
      streams: 1,
      count: SLOW_CHUNKS,
    }),
};
