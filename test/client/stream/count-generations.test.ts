import assert from "node:assert/strict";
import { test } from "vitest";
import { countingSource } from "../../../src/client/stream/count-generations.js";
import { afterGap, gapBefore } from "../../../src/client/stream/gap.js";
import { gapError } from "../../../src/client/stream/position.js";
import type { StreamResponse, Task } from "../../../src/protocol/model.js";

type Json = any;

const taskOf = (generation: unknown): Task =>
  ({ id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" }, generation }) as Json;
const task = (generation: unknown): StreamResponse => ({ task: taskOf(generation) });
const update = (generation: unknown): StreamResponse =>
  ({
    statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" }, generation },
  }) as Json;

/** Reads connections of one stream; gives what comes of each event, and how often the task was read. */
async function read(connections: StreamResponse[][], onGap: "report" | "throw" = "report") {
  let reads = 0;
  const signal = new AbortController().signal;
  const [first = [], ...others] = connections;
  const events = async function* (list: StreamResponse[]) {
    yield* list;
  };
  const source = countingSource(
    {
      open: async () => events(first),
      subscribe: async () => events(others.shift() ?? []),
      read: async () => {
        reads += 1;
        return taskOf("9");
      },
    },
    { onGap, afterGap, gapError },
  );
  const seen: string[] = [];
  for (const [index] of connections.entries()) {
    const opened =
      index === 0
        ? await source.open(signal)
        : await source.subscribe({ taskId: "t", contextId: "c", generation: undefined }, signal);
    for await (const event of opened) {
      const { generation = "-" } = (event.task ?? event.statusUpdate) as Json;
      seen.push(
        `${event.task ? "task" : "update"} ${generation}${gapBefore(event) ? ` after ${gapBefore(event)?.after}` : ""}`,
      );
    }
  }
  return { seen, reads };
}

test("GEN-10: a client that sees a gap reads the task again, and passes over what the task includes", async () => {
  const { seen, reads } = await read([[task("1"), update("2"), update("5"), update("9"), update("10")]]);
  assert.deepEqual(seen, ["task 1", "update 2", "task 9 after 2", "update 10"]);
  assert.equal(reads, 1);
  await assert.rejects(read([[task("1"), update("3")]], "throw"), /missed events/);
});

test("GEN-11: after 0, no number, or the same number twice in a row a client uses no generations in this interaction", async () => {
  for (const strange of [update("0"), update(undefined), update("2"), update("no number")]) {
    const { seen, reads } = await read([
      [task("1"), update("2"), strange, update("7"), update("8")],
      [task("8"), update("20")],
    ]);
    assert.equal(seen.length, 7, seen.join());
    assert.equal(reads, 0);
  }
  assert.equal((await read([[task("0"), update("2"), update("7")]])).reads, 0);
});

test("GEN-11: an update with the number of the snapshot is not lost when the next one has this number too", async () => {
  const { seen, reads } = await read([[task("1"), update("1"), update("1"), update("1")]]);
  assert.deepEqual(seen, ["task 1", "update 1", "update 1", "update 1"]);
  assert.equal(reads, 0);
});

test("GEN-11: a snapshot may repeat the number of the last event that it includes", async () => {
  const { seen, reads } = await read([[task("1"), update("2"), task("2"), update("3"), update("5")]]);
  assert.deepEqual(seen, ["task 1", "update 2", "task 2", "update 3", "task 9 after 3"]);
  assert.equal(reads, 1);
});
