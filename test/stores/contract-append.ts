import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GenerationConflict, type Scope, type TaskStore } from "../../src/stores/task-store.js";
import { terminalStates } from "../../src/task/lifecycle.js";
import type { LogEntry } from "../../src/task/log.js";
import { changed, copyOf, created, taskId, wrote } from "../task/entries.js";
import type { MakeStore } from "./contract.js";

export const scope: Scope = { agent: "agent", tenant: "tenant", owner: "owner" };

/** Fails unless the append is refused as one that came too late, and gives where the log was said to be. */
export async function conflict(appended: Promise<number>): Promise<number> {
  const error = await appended.then(
    () => assert.fail("the append was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GenerationConflict);
  return error.current;
}

/** Everything there is of a task, as a copy. */
async function everything(store: TaskStore) {
  return copyOf([await store.load(scope, taskId), await store.read(scope, taskId, 0)]);
}

export function testAppend(name: string, makeStore: MakeStore): void {
  test(`a log grows by what is appended, and gives its generation [${name}]`, async (t) => {
    const store = await makeStore(t);
    assert.equal(await store.append(scope, taskId, 0, [created()]), 1);
    assert.equal(
      await store.append(scope, taskId, 1, [wrote({ artifactId: "a" }), wrote({ artifactId: "b" })]),
      3,
    );
    assert.equal(await store.append(scope, taskId, 3, [changed("TASK_STATE_COMPLETED")]), 4);
    assert.equal((await store.load(scope, taskId))?.generation, 4);
  });

  test(`a log is created whole, also when it ends in the same append [${name}]`, async (t) => {
    const store = await makeStore(t);
    const entries = [created(), wrote({ artifactId: "a" }), changed("TASK_STATE_COMPLETED")];
    assert.equal(await store.append(scope, taskId, 0, entries), 3);
    assert.equal((await store.load(scope, taskId))?.task.status.state, "TASK_STATE_COMPLETED");
  });

  test(`SVC-08: an entry keeps the trace in which it happened [${name}]`, async (t) => {
    const store = await makeStore(t);
    const trace = {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      tracestate: "a=1",
    };
    await store.append(scope, taskId, 0, [created(), { ...wrote({ artifactId: "a" }), trace }]);
    const entries = await store.read(scope, taskId, 0);
    assert.deepEqual(
      entries?.map((entry) => entry.trace),
      [undefined, trace],
    );
  });

  test(`an append of nothing only asks where the log is [${name}]`, async (t) => {
    const store = await makeStore(t);
    assert.equal(await store.append(scope, taskId, 0, []), 0);
    assert.equal(await store.load(scope, taskId), undefined);
    assert.equal(await conflict(store.append(scope, taskId, 1, [])), 0);
  });

  test(`an append behind any other generation is refused, says where the log is, and stores nothing [${name}]`, async (t) => {
    const store = await makeStore(t);
    assert.equal(await conflict(store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING")])), 0);
    assert.equal(await store.load(scope, taskId), undefined);
    await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
    const before = await everything(store);
    for (const expected of [-1, 0, 1, 3]) {
      const entry = expected === 0 ? created() : changed("TASK_STATE_COMPLETED");
      assert.equal(await conflict(store.append(scope, taskId, expected, [entry])), 2);
    }
    assert.deepEqual(await everything(store), before);
  });

  for (const state of terminalStates) {
    test(`TASK-02, TASK-03: nothing is added to a log that has ended as ${state} [${name}]`, async (t) => {
      const store = await makeStore(t);
      await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
      await store.append(scope, taskId, 2, [changed(state)]);
      const before = await everything(store);
      for (const entry of [wrote({ artifactId: "a" }), changed("TASK_STATE_WORKING"), changed(state)]) {
        assert.equal(await conflict(store.append(scope, taskId, 3, [entry])), 3);
      }
      assert.deepEqual(await everything(store), before);
    });
  }

  const misfits: Record<string, LogEntry[]> = {
    "another task's status": [wrote({ artifactId: "b" }), changed("TASK_STATE_WORKING", { id: "other" })],
    "another task's artifact": [changed("TASK_STATE_WORKING"), wrote({ artifactId: "b" }, {}, "other")],
    "a second beginning": [changed("TASK_STATE_WORKING"), created()],
    "a plain message": [
      changed("TASK_STATE_WORKING"),
      { event: { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "" }] } } },
    ],
    "an entry behind the end": [changed("TASK_STATE_COMPLETED"), changed("TASK_STATE_COMPLETED")],
  };
  for (const [what, entries] of Object.entries(misfits)) {
    test(`an append with ${what} is refused as a whole [${name}]`, async (t) => {
      const store = await makeStore(t);
      await store.append(scope, taskId, 0, [created()]);
      const before = await everything(store);
      await assert.rejects(store.append(scope, taskId, 1, entries), TypeError);
      assert.deepEqual(await everything(store), before);
    });
  }

  test(`a log cannot begin without its task, or with another one [${name}]`, async (t) => {
    const store = await makeStore(t);
    for (const entry of [changed("TASK_STATE_WORKING"), created({ id: "other" })]) {
      await assert.rejects(store.append(scope, taskId, 0, [entry]), TypeError);
      assert.equal(await store.load(scope, taskId), undefined);
    }
  });

  test(`TASK-13: writers at the same time make one log without gaps, and each entry is in it once [${name}]`, async (t) => {
    const batches = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(batches, async (writers) => {
        const store = await makeStore(t);
        await store.append(scope, taskId, 0, [created()]);
        await Promise.all(writers.map((sizes, writer) => write(store, `writer-${writer}`, sizes)));
        const log = (await store.read(scope, taskId, 0)) ?? [];
        assert.deepEqual(
          log.map(({ generation }) => generation),
          log.map((_, index) => index + 1),
        );
        for (const [writer, sizes] of writers.entries()) {
          const written = log.flatMap(({ event }) => event.artifactUpdate?.artifact.artifactId ?? []);
          const own = written.filter((id) => id.startsWith(`writer-${writer} `));
          const total = sizes.reduce((sum, size) => sum + size, 0);
          assert.deepEqual(
            own,
            Array.from({ length: total }, (_, index) => `writer-${writer} ${index}`),
          );
        }
      }),
      { numRuns: 30 },
    );
  });

  test(`TASK-02: of several ends at the same time one wins [${name}]`, async (t) => {
    const store = await makeStore(t);
    await store.append(scope, taskId, 0, [created()]);
    const ends = [...terminalStates].map((state) => store.append(scope, taskId, 1, [changed(state)]));
    const outcomes = await Promise.allSettled(ends);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await store.load(scope, taskId))?.generation, 2);
  });
}

/** Appends batches of the given sizes, looking again where the log is whenever another writer was first. */
async function write(store: TaskStore, writer: string, sizes: readonly number[]): Promise<void> {
  let generation = 1;
  let count = 0;
  for (const size of sizes) {
    const batch = Array.from({ length: size }, (_, index) =>
      wrote({ artifactId: `${writer} ${count + index}` }),
    );
    for (let done = false; !done; ) {
      try {
        generation = await store.append(scope, taskId, generation, batch);
        done = true;
      } catch (error) {
        assert.ok(error instanceof GenerationConflict);
        generation = error.current;
      }
    }
    count += size;
  }
}
