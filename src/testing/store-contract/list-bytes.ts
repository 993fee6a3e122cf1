import assert from "node:assert/strict";
import type { PagePosition, TaskPage, TaskQuery } from "../../stores/task-store.js";
import { changed, created, wrote } from "./entries.js";
import type { Cases, Place } from "./opened-store.js";

const KIB = 1024;
const text = (kib: number) => [{ text: "x".repeat(kib * KIB) }];

/** Puts tasks into the store that have so many KiB each, the one that is listed first first. */
async function put({ store, scope }: Place, ...sizes: number[]): Promise<void> {
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
async function pages({ store, scope }: Place, query: TaskQuery): Promise<TaskPage[]> {
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

/** Pages that are bounded in bytes as well as in tasks. */
export const listBytesCases: Cases = {
  "SEC-08, PAGE-05: a page ends before the task that would pass its bytes, and the next one begins with that":
    async (place) => {
      await put(place, 40, 40, 40, 90, 40, 40, 10, 10, 10, 10);
      for (const maxBytes of [100 * KIB, 100 * KIB]) {
        const found = await pages(place, { pageSize: 5, maxBytes });
        assert.deepEqual(counts(found), [2, 1, 1, 3, 3]);
        assert.deepEqual(
          found.flatMap(({ tasks }) => tasks.map(({ id }) => id)),
          Array.from({ length: 10 }, (_, index) => `task-${index}`),
        );
        for (const { totalSize, bytes = 0, tasks } of found) {
          assert.equal(totalSize, 10);
          assert.ok(bytes <= 100 * KIB && bytes >= tasks.length * 10 * KIB, `${bytes}`);
        }
      }
    },

  "SEC-08: a page has at least one task, however large that is": async (place) => {
    await put(place, 100, 100, 1, 1);
    assert.deepEqual(counts(await pages(place, { pageSize: 10, maxBytes: 1 })), [1, 1, 1, 1]);
    assert.deepEqual(counts(await pages(place, { pageSize: 10, maxBytes: 50 * KIB })), [1, 1, 2]);
    assert.deepEqual(counts(await pages(place, { pageSize: 10 })), [4]);
    assert.deepEqual(counts(await pages(place, { pageSize: 10, maxBytes: 300 * KIB })), [4]);
  },

  "SEC-08: bytes are those of the tasks as they stand, ended or not, with filters as without": async (
    place,
  ) => {
    const { store, scope } = place;
    await put(place, 30, 30, 30, 30);
    await store.append(scope, "task-0", 2, [wrote({ artifactId: "b", parts: text(60) }, {}, "task-0")]);
    for (const id of ["task-2", "task-3"]) {
      const at = new Date(1e12 - Number(id.slice(5))).toISOString();
      await store.append(scope, id, 2, [changed("TASK_STATE_COMPLETED", { id, at })]);
    }
    assert.deepEqual(counts(await pages(place, { pageSize: 10, maxBytes: 100 * KIB })), [1, 3]);
    const status = "TASK_STATE_COMPLETED";
    assert.deepEqual(counts(await pages(place, { pageSize: 10, maxBytes: 50 * KIB, status })), [1, 1]);
    const contextId = "context-1";
    assert.deepEqual(counts(await pages(place, { pageSize: 3, maxBytes: 70 * KIB, contextId })), [1, 2, 1]);
  },
};
