import assert from "node:assert/strict";
import { test } from "vitest";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { created, taskId } from "../../task-log/entries.js";
import { scope } from "../scope.js";
import { testTwoNodes } from "../two-nodes.js";
import { temporaryFile } from "./temporary-file.js";

testTwoNodes({
  name: "SQLite",
  skip: false,
  async database(t) {
    const { file, remove } = temporaryFile();
    t.onTestFinished(remove);
    return `sqlite:${file}`;
  },
});

test("a write waits for a process that writes for long", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
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
