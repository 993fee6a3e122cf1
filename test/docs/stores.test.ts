import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import type { RunningServer } from "../../src/server/index.js";
import type { LibsqlStore } from "../../src/stores/libsql/index.js";
import type { MemoryStore } from "../../src/stores/memory.js";
import type { SqliteStore } from "../../src/stores/sqlite/index.js";
import { rpcPeer, text } from "../support/peer.js";
import { emptySqld, withoutSqld } from "../support/sqld.js";
import { created } from "../task-log/entries.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/stores.md");
const scope = { agent: "", tenant: "", owner: "" };

/** Runs a block in an empty folder, where it may leave files. */
async function runIn<Names>(folder: string, name: string): Promise<Names> {
  const block = blocks.find((one) => one.name === name);
  assert.ok(block, `there is no block ${name}`);
  const before = process.cwd();
  process.chdir(folder);
  try {
    return (await run(block)) as Names;
  } finally {
    process.chdir(before);
  }
}

test("the blocks of docs/stores.md are these", () => {
  assert.deepEqual(
    blocks.map(({ name }) => name),
    ["sqlite", "postgres", "libsql", "bounded", "contract", "refusal"],
  );
});

test("docs/stores.md, sqlite: a task is in the file", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-docs-"));
  t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { server, store } = await runIn<{ server: RunningServer; store: SqliteStore }>(folder, "sqlite");
  const { result } = await rpcPeer(server.url).call("SendMessage", text("keep this"));
  assert.equal((await store.list(scope, { pageSize: 1 })).tasks[0]?.id, result.task.id);
  await server.close();
  await store.close();
});

test("docs/stores.md, libsql: a task is on the server", { skip: withoutSqld }, async (t) => {
  const { openTasks } = await runIn<{ openTasks(url: string): Promise<LibsqlStore> }>(tmpdir(), "libsql");
  const store = await openTasks(await emptySqld());
  t.onTestFinished(() => store.close());
  await store.append(scope, "a", 0, [created({ id: "a" })]);
  assert.equal((await store.list(scope, { pageSize: 1 })).tasks[0]?.id, "a");
});

test("docs/stores.md, bounded: a store with bounds of its own takes tasks", async () => {
  const { store } = await runIn<{ store: MemoryStore }>(tmpdir(), "bounded");
  await store.append(scope, "a", 0, [created({ id: "a" })]);
  assert.ok(store.bytes() > 0);
});

test("docs/stores.md, refusal: an entry that is too large is refused for what is in it", async () => {
  const { checkSize } = await runIn<{ checkSize(body: string): void }>(tmpdir(), "refusal");
  checkSize("small");
  assert.throws(() => checkSize("x".repeat(400_001)), { name: "StoreError", kind: "entry" });
});
