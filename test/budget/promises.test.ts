import assert from "node:assert/strict";
import { test } from "vitest";
import { countPromises } from "./count-promises.js";

/** At most so many are made from a body that was read to its answer. One more await in a way that all requests take is seen here. */
const budgets: Readonly<Record<string, number>> = {
  "SendMessage, answered with a message": 24,
  "SendMessage, answered with a task": 44,
  GetTask: 13,
  ListTasks: 11,
  "a request that is refused": 5,
};

test("a request waits for nothing that is there already: promises of each operation are counted and few", async () => {
  const counts = await countPromises();
  assert.deepEqual(Object.keys(counts), Object.keys(budgets));
  for (const [name, made] of Object.entries(counts)) {
    assert.ok(made <= (budgets[name] ?? 0), `${name}: ${made} promises`);
  }
});
