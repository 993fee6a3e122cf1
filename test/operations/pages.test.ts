import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, type Executor } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import type { ServerVersion } from "../../src/server/index.js";
import { MemoryStore, type TaskStore } from "../../src/stores/index.js";
import { onEachStore } from "../support/each-store.js";
import { type Peer, plainCard, serveFor, text } from "../support/peer.js";

const KIB = 1024;
const versions: readonly ServerVersion[] = [protocolVersion, "0.3", "0.1-flat", "0.1"];
const limits = { page: 300 * KIB };

/** Gives an artifact with as many KiB as it is told. */
const write: Executor = async function* ({ text }) {
  yield artifact().text("x".repeat(Number(text) * KIB));
  yield completed();
};

/** Makes tasks, the last of which is listed first. */
async function make(peer: Peer, ...kib: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const size of kib) {
    const { result } = await peer.call("SendMessage", text(`${size}`));
    ids.unshift(result.task.id);
    // Tasks of one millisecond are listed by id.
    const made = Date.now();
    while (Date.now() === made) await new Promise((resolve) => setImmediate(resolve));
  }
  return ids;
}

/** How many tasks each page has, and the ids of all. */
async function pages(peer: Peer, params: object) {
  const counts: number[] = [];
  const ids: string[] = [];
  let pageToken = "";
  do {
    const { result } = await peer.call("ListTasks", { ...params, ...(pageToken && { pageToken }) });
    counts.push(result.tasks.length);
    ids.push(...result.tasks.map(({ id }: { id: string }) => id));
    assert.deepEqual([result.pageSize, result.totalSize], [6, 8]);
    pageToken = result.nextPageToken;
  } while (pageToken);
  return { counts, ids };
}

onEachStore(
  "SEC-08, PAGE-05, OP-LIST-15: a page is bounded in bytes, and the token leads to the rest",
  async (store, t) => {
    const server = await serveFor(t, { card: plainCard, execute: write }, { store, limits });
    const ids = await make(server.rpc, 120, 120, 120, 500, 1, 1, 1, 1);
    for (const peer of [server.rpc, server.rest]) {
      const found = await pages(peer, { pageSize: 6, includeArtifacts: true });
      assert.deepEqual(found, { counts: [4, 1, 2, 1], ids });
    }
  },
);

test("SEC-08: a page without artifacts has as many tasks as asked for, where reading them costs nothing", async (t) => {
  const server = await serveFor(t, { card: plainCard, execute: write }, { limits });
  const ids = await make(server.rpc, 120, 120, 120, 500, 1, 1, 1, 1);
  assert.deepEqual(await pages(server.rpc, { pageSize: 6 }), { counts: [6, 2], ids });
});

/** A store that knows nothing of bytes. */
function withoutBytes(store: MemoryStore): TaskStore {
  return {
    append: (...call) => store.append(...call),
    load: (...call) => store.load(...call),
    read: (scope, taskId, after, limit) => store.read(scope, taskId, after, limit),
    wait: (...call) => store.wait(...call),
    list: async (scope, { maxBytes: _, ...query }) => {
      const { bytes: __, ...page } = await store.list(scope, query);
      return page;
    },
  };
}

test("SEC-08: pages of a store that knows no bytes are cut as well", async (t) => {
  const store = withoutBytes(new MemoryStore());
  const server = await serveFor(t, { card: plainCard, execute: write }, { store, limits });
  const ids = await make(server.rpc, 120, 120, 120, 500, 1, 1, 1, 1);
  const found = await pages(server.rest, { pageSize: 6, includeArtifacts: true });
  assert.deepEqual(found, { counts: [4, 1, 2, 1], ids });
});

/** Lists of versions that have no pages. */
const wholeLists = [
  ["0.3 over HTTP+JSON", (url: string) => fetch(`${url}/v1/tasks`)],
  [
    "the flat dialect",
    (url: string) =>
      fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/list", params: {} }),
      }),
  ],
] as const;

for (const [name, list] of wholeLists) {
  onEachStore(
    `SEC-08: a list without pages is whole, or refused beyond the bound: ${name}`,
    async (store, t) => {
      const server = await serveFor(t, { card: plainCard, execute: write }, { store, limits, versions });
      await make(server.rpc, 80, 80);
      const whole = await (await list(server.url)).json();
      const tasks = (Array.isArray(whole) ? whole : (whole as { result: unknown[] }).result) as {
        artifacts: unknown[];
      }[];
      assert.deepEqual(
        tasks.map(({ artifacts }) => artifacts.length),
        [1, 1],
      );
      await make(server.rpc, 80, 80);
      const refusal = await (await list(server.url)).text();
      assert.match(
        refusal,
        /more than 307200 bytes, and lists of this protocol version have no pages: read it page by page/,
      );
      assert.doesNotMatch(refusal, /xxx/);
    },
  );
}
