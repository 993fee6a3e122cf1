import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import type { OperationName } from "../../../src/protocol/operations.js";
import type { AnswerRoom } from "../../../src/server/host.js";
import { drivers } from "./exchange.js";
import { scripted } from "./scripted-agent.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A room that is full for the first answer until it is told otherwise. */
class FullRoom implements AnswerRoom {
  let: () => void = () => undefined;
  #asked = false;
  turn = () => undefined;
  next = () => undefined;
  goOn = async () => undefined;
  wrote(): void {}
  enter(): Promise<void> | undefined {
    if (this.#asked) return undefined;
    this.#asked = true;
    return new Promise((resolve) => {
      this.let = resolve;
    });
  }
}

const reads: readonly (readonly [OperationName, object])[] = [
  ["GetTask", { id: "t" }],
  ["ListTasks", {}],
  ["SubscribeToTask", { id: "t" }],
];

for (const driver of drivers) {
  for (const [operation, request] of reads) {
    test(`SEC-08: an answer that waits for room is let go of and asked for again: ${driver.name}, ${operation}`, async () => {
      const made: WeakRef<object>[] = [];
      const make = () => {
        const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" as const } };
        made.push(new WeakRef(task));
        return task;
      };
      const agent = scripted({
        getTask: async () => make(),
        listTasks: async () => ({ tasks: [make()], nextPageToken: "", pageSize: 50, totalSize: 1 }),
        async *subscribeToTask() {
          yield { task: make() };
        },
      });
      const room = new FullRoom();
      const answer = driver.call(agent, operation, request, { room });
      while (made.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      assert.equal(made[0]?.deref(), undefined, "the answer is kept while it waits");
      room.let();
      const { result, events } = await answer;
      assert.ok(result ?? events);
      assert.equal(made.length, 2);
    });
  }
}
