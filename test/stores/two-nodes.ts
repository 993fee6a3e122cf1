import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { Random } from "../../bench/random.js";
import { foldLog } from "../../src/task-log/fold.js";
import { follow } from "../../src/task-log/follow.js";
import { changed, created, fromUser, taskId, wrote } from "../task-log/entries.js";
import { openStore } from "./open-store.js";
import { scope } from "./scope.js";

/** How tests of two processes at one database begin. */
export interface TwoNodes {
  /** Appears in the names of the tests. */
  readonly name: string;
  /** Why they are left out, if they are. */
  readonly skip: boolean;
  /** Makes a database for one test; gives where it is. */
  database(context: TestContext): Promise<string>;
}

type Store = Awaited<ReturnType<typeof openStore>>;

/** A test of two stores, and what opens further ones on the same database. */
type Run = (one: Store, two: Store, open: () => Promise<Store>) => Promise<void>;

/** What two processes see of each other: stores on one database, which share nothing else. */
export function testTwoNodes({ name, skip, database }: TwoNodes): void {
  const declare = (what: string, run: Run, options = {}) =>
    test(`${what} [${name}]`, { skip }, async (t) => {
      const url = await database(t);
      const [one, two] = [await openStore(url, options), await openStore(url, options)];
      // Looks for what others write keep no process alive.
      const alive = setInterval(() => undefined, 1000);
      try {
        await run(one, two, () => openStore(url, options));
      } finally {
        clearInterval(alive);
        await one.close();
        await two.close();
      }
    });

  declare("what another process writes is read, folded and listed, whatever is remembered here", testReads);
  declare("a reader is woken by what another process writes", testWakeUps);
  declare(
    "a reader is told of what another process writes, also if another reader has found it",
    testLaterReader,
  );
  declare("STR-03: a reader sees each entry once and in order, whoever writes it", testMixedWriters);
  declare("whoever holds a task is told of what another process adds to it", testHints);
  declare("of two processes that write at the same place one wins", testRaces);
  declare(
    "what other processes have in memory does not keep a database from being compacted",
    testCompaction,
    { grace: 0 },
  );
  declare("a task that was deleted and made again elsewhere is not taken for the old one", testDeletion, {
    ttl: { TASK_STATE_COMPLETED: 0 },
  });
}

async function testReads(one: Store, two: Store): Promise<void> {
  await one.append(scope, taskId, 0, [created()]);
  for (let round = 1; round < 20; round += 1) {
    const writer = round % 3 === 0 ? one : two;
    const entry =
      round % 5 === 0 ? changed("TASK_STATE_WORKING") : wrote({ artifactId: "a" }, { append: true });
    await writer.append(scope, taskId, round, [entry]);
    for (const store of [one, two]) {
      const entries = (await store.read(scope, taskId, 0)) ?? [];
      assert.equal(entries.length, round + 1);
      const snapshot = await store.load(scope, taskId);
      assert.deepEqual(snapshot, foldLog(entries));
      assert.deepEqual((await store.list(scope, { pageSize: 1 })).tasks, [snapshot?.task]);
    }
  }
}

async function testWakeUps(one: Store, two: Store): Promise<void> {
  await one.append(scope, taskId, 0, [created()]);
  const seen: number[] = [];
  for await (const entries of follow(two, scope, taskId, 0, new AbortController().signal)) {
    seen.push(...entries.map(({ generation }) => generation));
    const next = seen.length === 1 ? wrote({ artifactId: "a" }) : changed("TASK_STATE_COMPLETED");
    if (seen.length < 3) await one.append(scope, taskId, seen.length, [next]);
  }
  assert.deepEqual(seen, [1, 2, 3]);
}

async function testLaterReader(one: Store, two: Store): Promise<void> {
  await one.append(scope, taskId, 0, [created()]);
  const leave = new AbortController();
  const reader = () => follow(two, scope, taskId, 1, leave.signal);
  await two.load(scope, taskId);
  const first = reader();
  const next = first.next();
  await one.append(scope, taskId, 1, [changed("TASK_STATE_INPUT_REQUIRED")]);
  await two.load(scope, taskId);
  const second = reader();
  for (const { value = [] } of await Promise.all([next, second.next()]))
    assert.deepEqual(
      value.map(({ generation }) => generation),
      [2],
    );
  leave.abort();
}

/** One process holds the task, and both write to it, also at the same time. Readers of both follow it in all the ways there are. */
async function testMixedWriters(one: Store, two: Store): Promise<void> {
  const random = new Random(7);
  const lease = { node: "one", token: "one-1", duration: 60_000 };
  let last = await one.append(scope, taskId, 0, [created()], { lease, work: 1 });
  const readers = [one, one, two].map((store) => seenBy(store, random));
  for (let round = 0; round < 60; round += 1) {
    const isExternal = random.below(4) === 0;
    const entry = wrote({ artifactId: "a" }, { append: true });
    const right = isExternal ? { external: true as const } : { token: lease.token, work: 1 };
    last = await (isExternal ? two : one).append(scope, taskId, last, [entry], right);
    if (random.below(3) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await one.append(scope, taskId, last, [changed("TASK_STATE_COMPLETED")], { token: lease.token, work: 1 });
  const all = Array.from({ length: last + 1 }, (_, index) => index + 1);
  for (const seen of await Promise.all(readers)) assert.deepEqual(seen, all);
}

/** The generations that a reader gets which sometimes reads, and sometimes listens and takes what has arrived. */
async function seenBy(store: Store, random: Random): Promise<number[]> {
  const reader = follow(store, scope, taskId, 0, new AbortController().signal);
  const seen: number[] = [];
  for (;;) {
    let isTold = false;
    const told = new Promise<void>((resolve) => {
      isTold = random.below(2) === 0 && reader.listen({ arrived: () => resolve() });
    });
    if (isTold) await told;
    const entries = reader.ready() ?? (await reader.next()).value;
    if (entries === undefined) return seen;
    seen.push(...entries.map(({ generation }) => generation));
  }
}

async function testHints(one: Store, two: Store): Promise<void> {
  const lease = { node: "one", token: "one-1", duration: 60_000 };
  await one.append(scope, taskId, 0, [created()], { lease, work: 1 });
  const told = new Promise<string>((resolve) => one.watchTasks("one", (task) => resolve(task.taskId)));
  const message = changed("TASK_STATE_WORKING", { asked: fromUser("more") });
  await two.append(scope, taskId, 1, [message], { external: true });
  assert.equal(await told, taskId);
}

async function testCompaction(one: Store, two: Store, open: () => Promise<Store>): Promise<void> {
  const text = "0123456789".repeat(1000);
  await one.append(scope, taskId, 0, [created()]);
  for (let generation = 1; generation < 30; generation += 1) {
    const entry = wrote({ artifactId: "a", parts: [{ text }] }, { append: true });
    await one.append(scope, taskId, generation, [entry]);
  }
  assert.deepEqual(await two.load(scope, taskId), foldLog((await one.read(scope, taskId, 0)) ?? []));
  // The end is written by a process that does not know the task: its last checkpoint is made when it is compacted.
  const three = await open();
  await three.append(scope, taskId, 30, [changed("TASK_STATE_COMPLETED")]);
  const before = await two.load(scope, taskId);
  await one.sweep();
  assert.equal(await three.read(scope, taskId, 0), undefined);
  assert.deepEqual(await three.read(scope, taskId, 31), []);
  assert.deepEqual(await three.load(scope, taskId), before);
  await three.close();
}

async function testRaces(one: Store, two: Store): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const id = `task-${round}`;
    const outcomes = await Promise.allSettled(
      [one, two, one, two].map((store) => store.append(scope, id, 0, [created({ id })])),
    );
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    const ends = await Promise.allSettled([
      one.append(scope, id, 1, [changed("TASK_STATE_COMPLETED", { id })]),
      two.append(scope, id, 1, [changed("TASK_STATE_CANCELED", { id })]),
    ]);
    assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 1);
  }
  for (const store of [one, two]) assert.equal((await store.list(scope, { pageSize: 1 })).totalSize, 20);
}

async function testDeletion(one: Store, two: Store): Promise<void> {
  const whole = [created({ metadata: { life: 1 } }), changed("TASK_STATE_COMPLETED")];
  await one.append(scope, taskId, 0, whole);
  assert.equal((await two.load(scope, taskId))?.generation, 2);
  await one.sweep();
  assert.equal(await two.load(scope, taskId), undefined);
  await one.append(scope, taskId, 0, [created({ metadata: { life: 2 } }), wrote({ artifactId: "a" })]);
  assert.deepEqual((await two.load(scope, taskId))?.task.metadata, { life: 2 });
  assert.equal((await two.read(scope, taskId, 0))?.length, 2);
}
