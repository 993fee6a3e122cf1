import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Client, connect } from "../../src/client/index.js";
import type { Received, Task } from "../../src/index.js";
import { newSqld, type TestSqld, withoutSqld } from "../support/sqld.js";
import { type Hosted, startWorkerd } from "./processes.js";
import { programOf } from "./programs.js";

const workerd = programOf("workerd");
const isChosen = process.env.HOSTS?.split(",").includes("workerd") ?? true;
const LEASE_SECONDS = 2;

const countsOf = ({ artifacts }: Received<Task>) =>
  artifacts?.[0]?.parts.map(({ text = "" }) => Number(text)) ?? [];
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Each request has a context of its own, with whose end its timers and connections end; only the database is common to them. */
describe.skipIf(workerd === undefined || !isChosen || withoutSqld)("Workers without a Durable Object", () => {
  let sqld: TestSqld;
  let worker: Hosted;
  let client: Client;
  const start = async () => {
    const settings = { DATABASE_URL: sqld.url, LEASE_TIME: String(LEASE_SECONDS) };
    worker = await startWorkerd(workerd ?? assert.fail(), "stored-worker", settings);
    client = await connect(new URL("/", worker.url).href);
  };
  const ask = async (path: string) => (await fetch(new URL(path, worker.url))).text();
  const begin = async (count: number): Promise<string> => {
    const { task } = await client.sendText(String(count), { configuration: { returnImmediately: true } });
    return task?.id ?? assert.fail();
  };
  /** Gets a task, each time in a request of its own, until a condition holds. */
  const taskWith = async (id: string, isMet: (task: Received<Task>) => boolean): Promise<Received<Task>> => {
    for (const end = Date.now() + 60_000; Date.now() < end; await pause(50)) {
      const task = await client.getTask({ id });
      if (isMet(task)) return task;
    }
    return assert.fail(`task ${id} has not become what it should`);
  };
  const isOver = ({ status }: Received<Task>) => status.state === "TASK_STATE_COMPLETED";

  beforeAll(async () => {
    sqld = await newSqld();
    await start();
  });
  afterAll(async () => {
    await worker?.close();
    await sqld?.kill();
  });

  test("a send waits for its task, also in later requests", async () => {
    for (let time = 0; time < 2; time += 1) {
      const { task } = await client.sendText("2");
      assert.deepEqual(task && countsOf(task), [1, 2]);
    }
  });

  test("an executor goes on after its response, and other requests get the task", async () => {
    const id = await begin(5);
    const task = await taskWith(id, isOver);
    assert.deepEqual(countsOf(task), upTo(5));
  });

  test("OP-SUB-03, OP-SUB-07: a stream has every event of a task that another request has begun", async () => {
    const id = await begin(12);
    const counts: number[] = [];
    let last: unknown;
    for await (const { task, statusUpdate, artifactUpdate } of client.subscribeToTask({ id })) {
      last = (task ?? statusUpdate)?.status.state ?? last;
      if (task !== undefined) counts.push(...countsOf(task));
      else counts.push(...(artifactUpdate?.artifact.parts.map(({ text = "" }) => Number(text)) ?? []));
    }
    assert.equal(last, "TASK_STATE_COMPLETED");
    assert.deepEqual(counts, upTo(12));
  });

  test("OP-CANCEL-01: a cancel of another request aborts the executor", async () => {
    const id = await begin(500);
    await taskWith(id, (task) => countsOf(task).length > 0);
    assert.equal((await client.cancelTask({ id })).status.state, "TASK_STATE_CANCELED");
    // The executor would count for more than a minute.
    const end = Date.now() + 20_000;
    while ((await ask("/working")) !== "0" && Date.now() < end) await pause(50);
    assert.equal(await ask("/working"), "0");
  });

  test("the cron trigger goes on with a task whose Worker was stopped, and completes it", async () => {
    const id = await begin(10);
    await taskWith(id, (task) => countsOf(task).length > 2);
    await worker.close();
    await start();
    await pause(LEASE_SECONDS * 1000);
    await ask("/scheduled");
    const task = await client.getTask({ id });
    assert.ok(isOver(task), String(task.status.state));
    assert.deepEqual(countsOf(task), upTo(10));
  });

  test("any request goes on with a task whose Worker was stopped, after its response", async () => {
    const id = await begin(10);
    await taskWith(id, (task) => countsOf(task).length > 2);
    await worker.close();
    await start();
    await pause(LEASE_SECONDS * 1000);
    assert.deepEqual(countsOf(await taskWith(id, isOver)), upTo(10));
  });
});
