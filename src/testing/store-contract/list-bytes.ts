import assert from "node:assert/strict";
import type { PagePosition, TaskPage, TaskQuery } from "../../stores/task-store.js";
import { changed, created, taskId, wrote } from "./entries.js";
import type { Cases, ContractStore } from "./opened-store.js";

const KIB = 1024;
const text = (kib: number) => [{ text: "x".repeat(kib * KIB) }];

/** Creates tasks of the given sizes in KiB, in the order of the list. */
async function put({ store, scope }: ContractStore, ...sizes: number[]): Promise<void> {
  for (const [index, kib] of sizes.entries()) {
    const id = `task-${index}`;
    const status = { state: "TASK_STATE_WORKING" as const, timestamp: new Date(1e12 - index).toISOString() };
    await store.append(scope, id, 0, [
      created({ id, status }),
      wrote({ artifactId: "a", parts: text(kib) }, {}, id),
    ]);
  }
}

/** All pages of a list. */
async function pages({ store, scope }: ContractStore, query: TaskQuery): Promise<TaskPage[]> {
  const found: TaskPage[] = [];
  let position: PagePosition | undefined;
  do {
    const page = await store.list(scope, { ...query, ...(position && { position }) });
    found.push(page);
    position = page.next;
  } while (position !== undefined);
  return found;
}

const counts = (found: readonly TaskPage[]) => found.map(({ tasks }) => tasks.length);

/** Creates a task whose entries after the first have the given sizes in KiB. */
async function putLog({ store, scope }: ContractStore, ...sizes: number[]): Promise<void> {
  await store.append(scope, "log", 0, [
    created({ id: "log" }),
    ...sizes.map((kib, index) => wrote({ artifactId: `a${index}`, parts: text(kib) }, {}, "log")),
  ]);
}

/** Reads a log to its end like a reader that catches up, and returns the generations of each read. */
async function readAll(
  { store, scope }: ContractStore,
  limit: number,
  maxBytes: number,
): Promise<number[][]> {
  const found: number[][] = [];
  for (let after = 0; ; after = found.at(-1)?.at(-1) ?? after) {
    const entries = (await store.read(scope, "log", after, limit, maxBytes)) ?? [];
    if (entries.length === 0) return found;
    found.push(entries.map(({ generation }) => generation));
  }
}

/** Pages of tasks, and reads of logs, with limits on both number and bytes. */
export const listBytesCases: Cases = {
  "SEC-08, PAGE-05: a page ends before the task that would exceed maxBytes, and the next page starts with it":
    async (opened) => {
      await put(opened, 40, 40, 40, 90, 40, 40, 10, 10, 10, 10);
      const maxBytes = 100 * KIB;
      // A store may have cached the tasks when they are listed the second time.
      for (let round = 0; round < 2; round += 1) {
        const found = await pages(opened, { pageSize: 5, maxBytes });
        assert.deepEqual(counts(found), [2, 1, 1, 3, 3]);
        assert.deepEqual(
          found.flatMap(({ tasks }) => tasks.map(({ id }) => id)),
          Array.from({ length: 10 }, (_, index) => `task-${index}`),
        );
        for (const { totalSize, bytes = 0, tasks } of found) {
          assert.equal(totalSize, 10);
          assert.ok(bytes <= maxBytes && bytes >= tasks.length * 10 * KIB, `${bytes}`);
        }
      }
    },

  "SEC-08: a read ends before the entry that would exceed maxBytes, but returns at least one": async (
    opened,
  ) => {
    await putLog(opened, 30, 30, 30, 200, 30, 30, 30, 30);
    const all = Array.from({ length: 9 }, (_, index) => index + 1);
    assert.deepEqual(await readAll(opened, 256, 100 * KIB), [[1, 2, 3, 4], [5], [6, 7, 8], [9]]);
    assert.deepEqual(await readAll(opened, 2, 100 * KIB), [[1, 2], [3, 4], [5], [6, 7], [8, 9]]);
    assert.deepEqual(
      await readAll(opened, 256, 1),
      all.map((generation) => [generation]),
    );
    assert.deepEqual(await readAll(opened, 256, Number.POSITIVE_INFINITY), [all]);
    // The same for a log that has grown since, and for one that has ended.
    await opened.store.append(opened.scope, "log", 9, [
      wrote({ artifactId: "b", parts: text(90) }, {}, "log"),
      changed("TASK_STATE_COMPLETED", { id: "log" }),
    ]);
    assert.deepEqual(await readAll(opened, 256, 100 * KIB), [[1, 2, 3, 4], [5], [6, 7, 8], [9], [10, 11]]);
  },

  "SEC-08: a page has at least one task, however large it is": async (opened) => {
    await put(opened, 100, 100, 1, 1);
    assert.deepEqual(counts(await pages(opened, { pageSize: 10, maxBytes: 1 })), [1, 1, 1, 1]);
    assert.deepEqual(counts(await pages(opened, { pageSize: 10, maxBytes: 50 * KIB })), [1, 1, 2]);
    assert.deepEqual(counts(await pages(opened, { pageSize: 10 })), [4]);
    assert.deepEqual(counts(await pages(opened, { pageSize: 10, maxBytes: 300 * KIB })), [4]);
  },

  "SEC-08: maxBytes counts the current size of tasks, open or ended, with and without filters": async (
    opened,
  ) => {
    const { store, scope } = opened;
    await put(opened, 30, 30, 30, 30);
    await store.append(scope, "task-0", 2, [wrote({ artifactId: "b", parts: text(60) }, {}, "task-0")]);
    for (const id of ["task-2", "task-3"]) {
      const at = new Date(1e12 - Number(id.slice(5))).toISOString();
      await store.append(scope, id, 2, [changed("TASK_STATE_COMPLETED", { id, at })]);
    }
    assert.deepEqual(counts(await pages(opened, { pageSize: 10, maxBytes: 100 * KIB })), [1, 3]);
    const status = "TASK_STATE_COMPLETED";
    assert.deepEqual(counts(await pages(opened, { pageSize: 10, maxBytes: 50 * KIB, status })), [1, 1]);
    const contextId = "context-1";
    assert.deepEqual(counts(await pages(opened, { pageSize: 3, maxBytes: 70 * KIB, contextId })), [1, 2, 1]);
  },
};

const MEBIBYTE = 2 ** 20;

/** Large parts, long logs and unusual characters. */
export const largeValueCases: Cases = {
  "a part of one mebibyte and an artifact of 300 chunks are stored completely": async ({ store, scope }) => {
    const text = "0123456789abcd\u00e9f".repeat(MEBIBYTE / 16);
    const chunks = Array.from({ length: 300 }, (_, at) =>
      wrote({ artifactId: "chunks", parts: [{ text: `${at}` }] }, { append: at > 0 }),
    );
    await store.append(scope, taskId, 0, [
      created(),
      wrote({ artifactId: "a", parts: [{ text }] }),
      ...chunks,
    ]);
    const artifacts = (await store.load(scope, taskId))?.task.artifacts;
    assert.equal(artifacts?.[0]?.parts[0]?.text, text);
    assert.equal(artifacts?.[1]?.parts.length, 300);
    assert.equal((await store.read(scope, taskId, 300))?.length, 2);
  },

  "a raw part of one mebibyte is returned unchanged, also after later entries": async ({ store, scope }) => {
    const raw = "AAEC".repeat(MEBIBYTE / 4);
    await store.append(scope, taskId, 0, [created()]);
    await store.append(scope, taskId, 1, [wrote({ artifactId: "a", parts: [{ raw }] })]);
    await store.append(scope, taskId, 2, [changed("TASK_STATE_COMPLETED")]);
    const [entry] = (await store.read(scope, taskId, 1, 1)) ?? [];
    assert.equal(entry?.event.artifactUpdate?.artifact.parts[0]?.raw, raw);
    assert.equal((await store.load(scope, taskId))?.task.artifacts?.[0]?.parts[0]?.raw, raw);
  },

  "OBJT-08: strings may contain any character, such as NUL, unpaired surrogates, quotes and SQL placeholders":
    async ({ store, scope }) => {
      const text = "\u0000 \ud800 \udc00 \ud83d\ude00 \u2028 '\";{}\\ \\u0000 $1 ?1 %s \r\n\t\u007f e\u0301";
      const ids = { id: taskId, contextId: text };
      await store.append(scope, taskId, 0, [created({ ...ids, metadata: { [text]: text } })]);
      await store.append(scope, taskId, 1, [wrote({ artifactId: text, parts: [{ text }] })]);
      const task = (await store.load(scope, taskId))?.task;
      assert.deepEqual(task?.metadata, { [text]: text });
      assert.equal(task?.artifacts?.[0]?.artifactId, text);
      assert.equal(task?.artifacts?.[0]?.parts[0]?.text, text);
      assert.equal((await store.list(scope, { pageSize: 1, contextId: text })).totalSize, 1);
      assert.equal((await store.list(scope, { pageSize: 1, contextId: `${text} ` })).totalSize, 0);
    },

  "TEN-09: ids that differ only in special characters are different": async ({ store, scope }) => {
    const ids = ["\u0000", "\ud800", "\ud801", "\ufffd", "\\u0000", "\\\\u0000", '"', '\\"', "%", "_"];
    for (const id of ids) await store.append(scope, id, 0, [created({ id, metadata: { id } })]);
    for (const id of ids) assert.deepEqual((await store.load(scope, id))?.task.metadata, { id });
    for (const id of ids) {
      const elsewhere = { ...scope, owner: id, tenant: id };
      assert.equal(await store.load(elsewhere, id), undefined);
      await store.append(elsewhere, "one", 0, [created({ id: "one" })]);
    }
    assert.equal((await store.list(scope, { pageSize: 100 })).totalSize, ids.length);
  },
};
