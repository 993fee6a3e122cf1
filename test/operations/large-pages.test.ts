import assert from "node:assert/strict";
import { test } from "vitest";
import { assertHeld } from "./loop-holds.js";
import { kinds, readElsewhere, serving } from "./serving-large.js";

const MIB = 1024 * 1024;
const TASKS = 25;
const LISTS = 8;

/** MiB of each task: in memory all of them together have to fit into the heap, and PostgreSQL takes long to store them. */
const sizes: Readonly<Record<string, number>> = { SQLite: 9, memory: 2, PostgreSQL: 2 };

/** A page of a list as it was answered. */
interface Page {
  readonly tasks: readonly { readonly id: string; readonly artifacts: { parts: { text: string }[] }[] }[];
  readonly nextPageToken: string;
}

/** Lists as different callers ask for them, over both bindings. */
async function listPage(url: string, index: number, pageToken = ""): Promise<Page> {
  const headers = { "A2A-Version": "1.0", "Content-Type": "application/json" };
  if (index % 2 === 0) {
    const query = `pageSize=100&includeArtifacts=true&pageToken=${encodeURIComponent(pageToken)}`;
    const answer = await fetch(`${url}/tasks?${query}`, { headers });
    assert.equal(answer.status, 200);
    return (await answer.json()) as Page;
  }
  const params = { pageSize: 100, includeArtifacts: true, pageToken };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ListTasks", params });
  const answer = await fetch(url, { method: "POST", headers, body });
  const { result } = (await answer.json()) as { result: Page };
  assert.ok(result, "the list is answered with a page");
  return result;
}

/** Lists of versions without pages, which are refused. */
async function assertRefused(url: string): Promise<void> {
  const flat = {
    method: "POST",
    headers: { "A2A-Version": "1.0", "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/list", params: {} }),
  };
  for (const answer of await Promise.all([fetch(`${url}/v1/tasks`), fetch(url, flat)])) {
    assert.match(await answer.text(), /lists of this protocol version have no pages: read it page by page/);
  }
}

for (const { kind, skip } of kinds) {
  const mib = sizes[kind] ?? 0;
  test(`SEC-08, PAGE-05, OP-LIST-15: ${LISTS} lists of ${TASKS} tasks of ${mib} MiB end no process, and others are answered [${kind}]`, {
    skip,
  }, async () => {
    const serve = await serving(kind, TASKS, mib);
    const { server, ids } = serve;
    try {
      await listPage(server.url, 0);
      await listPage(server.url, 1);
      await serve.holds();
      let isDone = false;
      const lists = Promise.all([
        ...Array.from({ length: LISTS }, (_, index) => listPage(server.url, index)),
        assertRefused(server.url),
      ]).finally(() => {
        isDone = true;
      });
      lists.catch(() => undefined);
      let answered = 0;
      while (!isDone) {
        assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
        assert.ok((await readElsewhere(server.port, ids.at(-1) ?? "")) > mib * MIB);
        answered += 1;
      }
      await lists;
      assert.ok(answered > 1, "others are answered meanwhile");
      const held = await serve.holds();
      assertHeld(held, mib);
      const found: string[] = [];
      let pageToken = "";
      do {
        const { tasks, nextPageToken } = await listPage(server.url, found.length, pageToken);
        for (const { id, artifacts } of tasks) {
          found.push(id);
          assert.equal(
            artifacts[0]?.parts.reduce((sum, { text }) => sum + text.length, 0),
            mib * MIB,
          );
        }
        pageToken = nextPageToken;
      } while (pageToken);
      assert.deepEqual(found.sort(), [...ids].sort());
      assert.equal(server.death, undefined);
    } finally {
      await serve.stop();
    }
  });
}
