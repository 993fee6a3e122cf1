import assert from "node:assert/strict";
import { terminalStates } from "../../protocol/lifecycle.js";
import type { TaskState } from "../../protocol/model.js";
import { GenerationConflict, type Scope, type TaskStore } from "../../stores/task-store.js";
import type { LogEntry } from "../../task-log/log.js";
import { changed, copyOf, created, taskId, wrote } from "./entries.js";
import { type Case, type Cases, conflict, Random } from "./opened-store.js";

/** A copy of all that is stored for a task. */
async function everything(store: TaskStore, scope: Scope) {
  return copyOf([await store.load(scope, taskId), await store.read(scope, taskId, 0)]);
}

/** Appends with an entry that does not belong in the log. */
const misfits: Readonly<Record<string, readonly LogEntry[]>> = {
  "another task's status": [wrote({ artifactId: "b" }), changed("TASK_STATE_WORKING", { id: "other" })],
  "another task's artifact": [changed("TASK_STATE_WORKING"), wrote({ artifactId: "b" }, {}, "other")],
  "a second task": [changed("TASK_STATE_WORKING"), created()],
  "a plain message": [
    changed("TASK_STATE_WORKING"),
    { event: { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "" }] } } },
  ],
  "an entry after the end": [changed("TASK_STATE_COMPLETED"), changed("TASK_STATE_COMPLETED")],
};

function misfitCase([what, entries]: [string, readonly LogEntry[]]): [string, Case] {
  return [
    `an append with ${what} is refused as a whole`,
    async ({ store, scope }) => {
      await store.append(scope, taskId, 0, [created()]);
      const before = await everything(store, scope);
      await assert.rejects(store.append(scope, taskId, 1, entries), TypeError);
      assert.deepEqual(await everything(store, scope), before);
    },
  ];
}

function endCase(state: TaskState): [string, Case] {
  return [
    `TASK-02, TASK-03: nothing can be appended to a log that has ended as ${state}`,
    async ({ store, scope }) => {
      await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
      await store.append(scope, taskId, 2, [changed(state)]);
      const before = await everything(store, scope);
      for (const entry of [wrote({ artifactId: "a" }), changed("TASK_STATE_WORKING"), changed(state)]) {
        assert.equal(await conflict(store.append(scope, taskId, 3, [entry])), 3);
      }
      assert.deepEqual(await everything(store, scope), before);
    },
  ];
}

/** Appends go to the end of the log, one writer at a time, until the log has ended. */
export const appendCases: Cases = {
  "append returns the generation of the last entry": async ({ store, scope }) => {
    assert.equal(await store.append(scope, taskId, 0, [created()]), 1);
    assert.equal(
      await store.append(scope, taskId, 1, [wrote({ artifactId: "a" }), wrote({ artifactId: "b" })]),
      3,
    );
    assert.equal(await store.append(scope, taskId, 3, [changed("TASK_STATE_COMPLETED")]), 4);
    assert.equal((await store.load(scope, taskId))?.generation, 4);
  },

  "one append can create a log and end it": async ({ store, scope }) => {
    const entries = [created(), wrote({ artifactId: "a" }), changed("TASK_STATE_COMPLETED")];
    assert.equal(await store.append(scope, taskId, 0, entries), 3);
    assert.equal((await store.load(scope, taskId))?.task.status.state, "TASK_STATE_COMPLETED");
  },

  "SVC-08: an entry is stored with its trace context": async ({ store, scope }) => {
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
  },

  "an append without entries stores nothing, and only checks the generation": async ({ store, scope }) => {
    assert.equal(await store.append(scope, taskId, 0, []), 0);
    assert.equal(await store.load(scope, taskId), undefined);
    assert.equal(await conflict(store.append(scope, taskId, 1, [])), 0);
  },

  "an append after any but the current generation stores nothing, and its error has the current one": async ({
    store,
    scope,
  }) => {
    assert.equal(await conflict(store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING")])), 0);
    assert.equal(await store.load(scope, taskId), undefined);
    await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
    const before = await everything(store, scope);
    for (const expected of [-1, 0, 1, 3]) {
      const entry = expected === 0 ? created() : changed("TASK_STATE_COMPLETED");
      assert.equal(await conflict(store.append(scope, taskId, expected, [entry])), 2);
    }
    assert.deepEqual(await everything(store, scope), before);
  },

  ...Object.fromEntries([...terminalStates].map(endCase)),
  ...Object.fromEntries(Object.entries(misfits).map(misfitCase)),

  "the first entry of a log must be its task": async ({ store, scope }) => {
    for (const entry of [changed("TASK_STATE_WORKING"), created({ id: "other" })]) {
      await assert.rejects(store.append(scope, taskId, 0, [entry]), TypeError);
      assert.equal(await store.load(scope, taskId), undefined);
    }
  },

  "TASK-13: concurrent writers make one log without gaps that has each entry once": async ({
    store,
    scope,
  }) => {
    const random = new Random(13);
    for (let round = 0; round < 12; round += 1) {
      const writers = random.list(5, () => random.list(4, () => 1 + random.below(3)));
      await testWriters(store, { ...scope, owner: `round ${round}` }, writers);
    }
  },

  "TASK-02: of several concurrent appends that end the task, one succeeds": async ({ store, scope }) => {
    await store.append(scope, taskId, 0, [created()]);
    const ends = [...terminalStates].map((state) => store.append(scope, taskId, 1, [changed(state)]));
    const outcomes = await Promise.allSettled(ends);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await store.load(scope, taskId))?.generation, 2);
  },
};

/** Lets writers append batches of the given sizes at the same time, and checks the resulting log. */
async function testWriters(store: TaskStore, scope: Scope, writers: readonly number[][]): Promise<void> {
  await store.append(scope, taskId, 0, [created()]);
  await Promise.all(writers.map((sizes, writer) => write(store, scope, `writer-${writer}`, sizes)));
  const log = (await store.read(scope, taskId, 0)) ?? [];
  assert.deepEqual(
    log.map(({ generation }) => generation),
    log.map((_, index) => index + 1),
  );
  for (const [writer, sizes] of writers.entries()) {
    const written = log.flatMap(({ event }) => event.artifactUpdate?.artifact.artifactId ?? []);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.deepEqual(
      written.filter((id) => id.startsWith(`writer-${writer} `)),
      Array.from({ length: total }, (_, index) => `writer-${writer} ${index}`),
    );
  }
}

/** Appends batches of the given sizes, and repeats one at the current generation whenever another writer was first. */
async function write(
  store: TaskStore,
  scope: Scope,
  writer: string,
  sizes: readonly number[],
): Promise<void> {
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
