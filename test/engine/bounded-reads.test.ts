import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "vitest";
import { artifact, type ExecutionContext } from "../../src/index.js";
import { readPending } from "../../src/push/pending.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import type { Scope, StoredEntry } from "../../src/stores/task-store.js";
import { temporaryFile } from "../stores/sqlite/temporary-file.js";
import { gate } from "../support/both.js";
import { plainCard, serveFor, text } from "../support/peer.js";
import { follow, started } from "./two-nodes.js";

const KIB = 1024;
/** Each is a third of what one read may give. */
const LARGE = 100 * KIB;
const COUNT = 8;

/** Keeps the size of the largest read that gave more than one entry. */
class MeasuredStore extends SqliteStore {
  largest = 0;

  override async read(...call: [Scope, string, number, number?, number?]) {
    const entries = await super.read(...call);
    if (entries && entries.length > 1) this.largest = Math.max(this.largest, JSON.stringify(entries).length);
    return entries;
  }
}

function measuredStore(t: TestContext): MeasuredStore {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  return new MeasuredStore({ file, synchronous: "normal" });
}

const filler = "x".repeat(LARGE);

test("SEC-08: messages that another node has left are read, and taken over, in batches of bounded size", async (t) => {
  const store = measuredStore(t);
  const runs: string[] = [];
  const proceed = gate();
  const agent = {
    card: plainCard,
    attempts: 2,
    idempotentSends: true,
    async *execute({ text: said, attempt, signal }: ExecutionContext) {
      runs.push(`${said.replace(filler, "")} ${attempt}`);
      yield artifact().text(filler);
      if (attempt === 1 && said === "go") await once(signal, "abort");
      else await proceed.opened;
    },
  };
  const options = { store, leaseTime: 2 };
  const [here, there] = [await serveFor(t, agent, options), await serveFor(t, agent, options)];
  const { result } = await here.rpc.call("SendMessage", text("go", started));
  const { id: taskId } = result.task;
  const numbers = Array.from({ length: COUNT }, (_, index) => `${index}`);
  for (const number of numbers) {
    const more = text(`${number}${filler}`, { message: { taskId, messageId: number }, ...started });
    await there.rpc.call("SendMessage", more);
  }
  const { end } = await follow(there.rpc, taskId);
  await here.close();
  proceed.open();
  assert.equal((await end).state, "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, ["go 1", "go 2", ...numbers.map((number) => `${number} 1`)]);
  assert.ok(store.largest > LARGE, "some entries were read together");
  assert.ok(store.largest < 300 * KIB, `${store.largest} bytes were read at once`);
});

test("SEC-08: a webhook that is late reads its log in batches of bounded size", async (t) => {
  const store = measuredStore(t);
  const scope = { agent: "", tenant: "", owner: "" };
  const task = { id: "1", contextId: "c", status: { state: "TASK_STATE_WORKING" as const } };
  await store.append(scope, "1", 0, [{ event: { task } }]);
  for (let index = 1; index <= COUNT; index += 1) {
    const update = {
      taskId: "1",
      contextId: "c",
      artifact: { artifactId: `${index}`, parts: [{ text: filler }] },
    };
    await store.append(scope, "1", index, [{ event: { artifactUpdate: update } }]);
  }
  const record = { scope, config: { id: "w", taskId: "1", url: "http://localhost" } };
  const read: StoredEntry[] = [];
  for (let after = 0; after <= COUNT; after = read.at(-1)?.generation ?? 0) {
    const pending = (await readPending(store, record as Parameters<typeof readPending>[1], after)) ?? [];
    for (const one of pending) read.push((await one.read()) as StoredEntry);
  }
  assert.deepEqual(
    read.map(({ generation }) => generation),
    Array.from({ length: COUNT + 1 }, (_, index) => index + 1),
  );
  assert.ok(store.largest < 300 * KIB, `${store.largest} bytes were read at once`);
  await store.close();
});
