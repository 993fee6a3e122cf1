import assert from "node:assert/strict";
import { join } from "node:path";
import Libsql from "libsql";
import { test } from "vitest";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { Terminal } from "./terminal.js";

test("db migrate brings a file to this version, once, and refuses one of a later release", async (t) => {
  const shell = new Terminal(t);
  const file = join(shell.folder, "tasks.db");
  assert.match((await shell.parley("db", "migrate", "sqlite:tasks.db")).out, /^Version: \d+, was 0$/m);
  assert.match((await shell.parley("db", "migrate", "sqlite:tasks.db")).out, /^Version: \d+, as it was$/m);
  await new SqliteStore({ file, migrate: false }).close();
  const raw = new Libsql(file);
  raw.exec("UPDATE parley_schema SET version = 99");
  raw.close();
  const { exit, err } = await shell.parley("db", "migrate", "sqlite:tasks.db");
  assert.equal(exit, 1);
  assert.match(err, /at version 99/);
});

test("db migrate wants an address of a database", async (t) => {
  const { exit, err } = await new Terminal(t).parley("db", "migrate", "mysql://localhost/tasks");
  assert.equal(exit, 2);
  assert.match(err, /sqlite:<file>, postgres:.* or libsql:/);
});
