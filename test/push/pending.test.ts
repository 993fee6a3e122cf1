import assert from "node:assert/strict";
import { test } from "vitest";
import { readPending } from "../../src/push/pending.js";
import { MemoryStore } from "../../src/stores/memory.js";
import type { Scope } from "../../src/stores/task-store.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { scope } from "./desk.js";

/** Gives a copy of what it holds each time, as a store on a disk does. */
class CopyingStore extends MemoryStore {
  override async read(...of: [Scope, string, number, number]) {
    return structuredClone(await super.read(...of));
  }
}

test("PUSH-13: an entry that waits is kept while it is small, and read again when it is large", async () => {
  const store = new CopyingStore();
  const large = wrote({ artifactId: "a", parts: [{ text: "x".repeat(20_000) }] });
  const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "x".repeat(20_000) }] };
  const entries = [{ ...created(), request: { message } }, large, changed("TASK_STATE_COMPLETED")];
  await store.append(scope, "task-1", 0, entries);
  const lease = { node: "one", duration: 1000 };
  const config = { id: "a", taskId: "task-1", url: "https://hook.example/" };
  const registration = { config, version: "1.0", delivered: 0, ended: false, lease, limit: 9, ownerLimit: 9 };
  const record = await store.saveConfig(scope, registration);
  assert.ok(record);
  const pending = await readPending(store, record, 0);
  assert.deepEqual(
    pending?.map(({ generation, isArtifact }) => [generation, isArtifact]),
    [
      [1, false],
      [2, true],
      [3, false],
    ],
  );
  const [first, second] = pending ?? [];
  assert.ok(first && second);
  assert.ok(second.bytes > 20_000 && second.bytes < 21_000);
  assert.equal(await first.read(), await first.read());
  assert.equal((await first.read())?.request, undefined);
  const [once, again] = [await second.read(), await second.read()];
  assert.notEqual(once, again);
  assert.deepEqual(once, again);
  assert.equal(once?.generation, 2);
  assert.equal(await readPending(store, { ...record, config: { ...config, taskId: "none" } }, 0), undefined);
});
