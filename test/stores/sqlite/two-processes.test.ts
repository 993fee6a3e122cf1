import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { SqliteStore, type SqliteStoreOptions } from "../../../src/stores/sqlite/index.js";
import { foldLog } from "../../../src/task/fold.js";
import { follow } from "../../../src/task/follow.js";
import { changed, created, taskId, userMessage, wrote } from "../../task/entries.js";
import { scope } from "../scope.js";
import { temporaryFile } from "./temporary-file.js";

/** Stores on one file, as two processes have them: they share nothing else. */
function openTwo(t: TestContext, options: Partial<SqliteStoreOptions> = {}): [SqliteStore, SqliteStore] {
  const { file, remove } = temporaryFile();
  const stores = [new SqliteStore({ file, ...options }), new SqliteStore({ file, ...options })] as const;
  t.after(async () => {
    for (const store of stores) await store.close();
    remove();
  });
  return [...stores];
}

test("what another process writes is read, folded and listed, whatever is remembered here", async (t) => {
  const [one, two] = openTwo(t);
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
});

test("a reader is woken by what another process writes", async (t) => {
  const [one, two] = openTwo(t);
  await one.append(scope, taskId, 0, [created()]);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const entries of follow(two, scope, taskId, 0, new AbortController().signal)) {
      seen.push(...entries.map(({ generation }) => generation));
      const next = seen.length === 1 ? wrote({ artifactId: "a" }) : changed("TASK_STATE_COMPLETED");
      if (seen.length < 3) await one.append(scope, taskId, seen.length, [next]);
    }
  })();
  await reading;
  assert.deepEqual(seen, [1, 2, 3]);
});

test("whoever holds a task is told of what another process adds to it", async (t) => {
  const [one, two] = openTwo(t);
  const lease = { node: "one", token: "one-1", duration: 60_000 };
  await one.append(scope, taskId, 0, [created()], { lease, work: 1 });
  const told = new Promise<string>((resolve) => one.watchTasks("one", (task) => resolve(task.taskId)));
  const message = changed("TASK_STATE_WORKING", { asked: userMessage("more") });
  await two.append(scope, taskId, 1, [message], { guest: true });
  // Looks for such writes do not keep a process alive.
  const alive = setInterval(() => undefined, 1000);
  assert.equal(await told, taskId);
  clearInterval(alive);
});

test("a task that was deleted and made again elsewhere is not taken for the old one", async (t) => {
  const [one, two] = openTwo(t, { ttl: { TASK_STATE_COMPLETED: 0 } });
  const whole = [created({ metadata: { life: 1 } }), changed("TASK_STATE_COMPLETED")];
  await one.append(scope, taskId, 0, whole);
  assert.equal((await two.load(scope, taskId))?.generation, 2);
  await one.sweep();
  assert.equal(await two.load(scope, taskId), undefined);
  await one.append(scope, taskId, 0, [created({ metadata: { life: 2 } }), wrote({ artifactId: "a" })]);
  assert.deepEqual((await two.load(scope, taskId))?.task.metadata, { life: 2 });
});

test("a write waits for a process that writes for long", async (t) => {
  const { file, remove } = temporaryFile();
  t.after(remove);
  const store = new SqliteStore({ file });
  const { default: Libsql } = await import("libsql");
  const other = new Libsql(file);
  other.exec("BEGIN IMMEDIATE");
  const appended = store.append(scope, taskId, 0, [created()]);
  let turns = 0;
  const count = setInterval(() => {
    turns += 1;
    if (turns === 5) other.exec("COMMIT");
  }, 20);
  assert.equal(await appended, 1);
  clearInterval(count);
  assert.ok(turns >= 5, "the event loop went on");
  other.close();
  await store.close();
});
