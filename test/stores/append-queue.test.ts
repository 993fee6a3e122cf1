import assert from "node:assert/strict";
import { test } from "vitest";
import type { AppendOutcome } from "../../src/stores/sql/append-outcome.js";
import { AppendQueue } from "../../src/stores/sql/append-queue.js";
import { type PreparedAppend, preparedAppend } from "../../src/stores/sql/prepared-append.js";
import { StoreError } from "../../src/stores/store-error.js";
import { GenerationConflict } from "../../src/stores/task-store.js";
import { created } from "../task-log/entries.js";
import { scope } from "./scope.js";

const LOST = new Error("Connection terminated unexpectedly");

/** What a database does with a batch: carries out the appends to these tasks, and then perhaps fails. */
interface Attempt {
  readonly stored: readonly string[];
  readonly error?: Error;
}

/**
 * The results of appends to the tasks `a` and `b` in one batch.
 * @param attempts how the database handles the attempts; it carries out later ones
 * @param queries whether each query for appends whose response was lost succeeds; later ones do
 */
async function appendBoth(attempts: readonly Attempt[], queries: readonly boolean[] = []) {
  const stored = new Set<string>();
  const [sends, answers] = [[...attempts], [...queries]];
  const rows = (appends: readonly PreparedAppend[]) =>
    appends.map(({ task }) => ({ id: task === "a" ? 1 : 2, scope: 1, task }));
  const outcome: Pick<AppendOutcome, "check" | "stored"> = {
    async check({ task, taskId, expected }) {
      if (stored.has(task)) throw new GenerationConflict(taskId, expected, 1);
    },
    async stored(appends) {
      if (answers.shift() === false) throw LOST;
      return rows(appends.filter(({ task }) => stored.has(task)));
    },
  };
  const queue = new AppendQueue({
    ...{ outcome: outcome as AppendOutcome, maxAppends: 10, maxInFlight: 1 },
    async send(appends) {
      const tasks = appends.map(({ task }) => task);
      const attempt = sends.shift() ?? { stored: tasks };
      const fresh = appends.filter(({ task }) => attempt.stored.includes(task) && !stored.has(task));
      for (const { task } of fresh) stored.add(task);
      if (attempt.error) throw attempt.error;
      return rows(fresh);
    },
    isCollision: () => false,
    isConnectionFault: (error) => error === LOST,
    storeError: (error) => error,
  });
  const add = (id: string) => {
    const task = { scope, taskId: id, expected: 0, entries: [created({ id })], right: undefined };
    return queue.add({
      ...preparedAppend(task, { key: id, scope: 1, now: null }, () => undefined),
      task: id,
    });
  };
  return Promise.allSettled([add("a"), add("b")]);
}

const first: Attempt = { stored: ["a"], error: LOST };

for (const kind of ["entry", "permanent", "transient"] as const) {
  test(`an append whose response was lost succeeds although the next attempt at its batch fails: ${kind}`, async () => {
    const refused = new StoreError(kind, "refused");
    const results = await appendBoth([first, { stored: [], error: refused }]);
    assert.deepEqual(results, [
      { status: "fulfilled", value: 1 },
      { status: "rejected", reason: refused },
    ]);
  });
}

test("an append whose response was lost succeeds although the query for the rest of its batch fails", async () => {
  const [a, b] = await appendBoth([first, { stored: [], error: LOST }], [true, false]);
  assert.deepEqual(a, { status: "fulfilled", value: 1 });
  assert.ok(b?.status === "rejected" && b.reason instanceof StoreError && b.reason.kind === "transient");
  assert.equal(
    b.reason.message,
    "Cannot determine whether an append was carried out: the query for it failed",
  );
});

test("an append that succeeds succeeds although the query for another of its batch fails", async () => {
  const [a, b] = await appendBoth([{ stored: [], error: LOST }, { stored: ["a"] }], [true, false]);
  assert.deepEqual(a, { status: "fulfilled", value: 1 });
  assert.ok(b?.status === "rejected" && b.reason instanceof StoreError && b.reason.kind === "transient");
});
