import { setTimeout } from "node:timers/promises";
import { EventStream } from "../driver/event-stream.js";
import { call, send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const CHUNKS = 500;
/** Chunks while readers join. */
const PACED = 250;
const JOINERS = 60;
const SECOND = 1000;
/** Milliseconds for readers to come to their end once the last of them has joined, when few chunks are left. */
const LONG_ENOUGH = 1_000;

/** A store that is a network away. */
export const slowStore: Workload = {
  name: "store with 2 ms a call",
  about: "One artifact in 500 chunks; then 60 readers who join while 250 chunks come eight at a time.",
  measures: [
    { key: "seconds", label: "500 chunks", unit: "s", goal: 0.3 },
    { key: "lost", label: `of ${JOINERS} late joiners, those who miss chunks`, unit: "", goal: 0 },
  ],
  targets: ["sdk", "parley"],
  options: { storeDelay: 2 },
  rounds: 3,
  cold: true,
  async visit(server, { scale }) {
    const size = Math.min(scale, 1);
    const wanted = Math.ceil(PACED * size);
    const begun = performance.now();
    const request = send(server.ready, `chunks ${CHUNKS * size}`, "SendStreamingMessage");
    await new EventStream(server.port, request).ended;
    const seconds = (performance.now() - begun) / SECOND;
    const paced = send(server.ready, `paced ${wanted}`, "SendStreamingMessage");
    const first = new EventStream(server.port, paced, { keep: true });
    await first.until(1);
    const { id } = JSON.parse(first.data()[0] ?? "").result.task;
    const joiners: EventStream[] = [];
    for (let index = 1; index <= JOINERS; index += 1) {
      await Promise.race([first.until(Math.floor((index * wanted) / (JOINERS + 2))), first.ended]);
      joiners.push(
        new EventStream(server.port, call(server.ready, "SubscribeToTask", { id }), { keep: true }),
      );
    }
    // A server may forget a reader who came at the wrong moment: it has lost what did not come by now.
    await Promise.race([Promise.all(joiners.map((joiner) => joiner.ended)), setTimeout(LONG_ENOUGH)]);
    for (const joiner of joiners) joiner.close();
    // Who came after the end was refused, and has lost nothing.
    const admitted = joiners.filter(({ frames }) => frames > 0);
    return { seconds, lost: admitted.filter((joiner) => chunksOf(joiner.data()) !== wanted).length };
  },
};

/** How many different chunks a reader has seen, in the task as it was when it came and in what followed. */
function chunksOf(data: readonly string[]): number {
  const seen = new Set<string>();
  for (const text of data) {
    const { task, artifactUpdate } = JSON.parse(text).result ?? {};
    for (const { parts } of task?.artifacts ?? []) for (const part of parts) seen.add(part.text);
    for (const part of artifactUpdate?.artifact.parts ?? []) seen.add(part.text);
  }
  return seen.size;
}
