import assert from "node:assert/strict";
import { changed, created, taskId, wrote } from "./entries.js";
import type { Cases } from "./opened-store.js";

const MEBIBYTE = 2 ** 20;

/** What does not fit into a line of text: big parts, long logs, strange characters. */
export const largeValueCases: Cases = {
  "a part of a mebibyte and many chunks are kept whole": async ({ store, scope }) => {
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

  "bytes of a mebibyte come back, and what follows them": async ({ store, scope }) => {
    const raw = "AAEC".repeat(MEBIBYTE / 4);
    await store.append(scope, taskId, 0, [created()]);
    await store.append(scope, taskId, 1, [wrote({ artifactId: "a", parts: [{ raw }] })]);
    await store.append(scope, taskId, 2, [changed("TASK_STATE_COMPLETED")]);
    const [entry] = (await store.read(scope, taskId, 1, 1)) ?? [];
    assert.equal(entry?.event.artifactUpdate?.artifact.parts[0]?.raw, raw);
    assert.equal((await store.load(scope, taskId))?.task.artifacts?.[0]?.parts[0]?.raw, raw);
  },

  "OBJT-08: a text may hold any character: NUL, halves of a pair, what databases and quoting stumble over":
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

  "TEN-09: ids that differ in such characters only are different ids": async ({ store, scope }) => {
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
