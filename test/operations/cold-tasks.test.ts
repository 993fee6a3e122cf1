import assert from "node:assert/strict";
import { test } from "vitest";
import { openStore } from "../stores/open-store.js";
import { temporaryFile } from "../stores/sqlite/temporary-file.js";
import { emptyDatabase } from "../support/each-store.js";
import { rpcPeer, text } from "../support/peer.js";
import { withoutPostgres } from "../support/postgres.js";
import { SmallHeapServer } from "../support/small-heap.js";

const MIB = 1024 * 1024;
const LARGE = 9;
/** More than the heap of the server holds. */
const TASKS = 24;

const places = {
  async SQLite() {
    const { file, remove } = temporaryFile();
    return { place: file, url: `sqlite:${file}`, remove };
  },
  async PostgreSQL() {
    const place = await emptyDatabase();
    return { place, url: place, remove: () => undefined };
  },
};

/** Stores tasks of 9 MiB that wait for their caller, as another process would have. */
async function fill(url: string): Promise<string[]> {
  const store = await openStore(url);
  const ids = Array.from({ length: TASKS }, (_, index) => `task-${index}`);
  // One wide character makes V8 take two bytes for each of them.
  const parts = [{ text: `€${"x".repeat(LARGE * MIB)}` }];
  const state = "TASK_STATE_INPUT_REQUIRED" as const;
  for (const id of ids) {
    const task = { id, contextId: "c", status: { state }, artifacts: [{ artifactId: "a", parts }] };
    await store.append({ agent: "", tenant: "", owner: "" }, id, 0, [{ event: { task } }]);
  }
  await store.close();
  return ids;
}

for (const [kind, open] of Object.entries(places)) {
  const skip = kind === "PostgreSQL" && withoutPostgres;
  test(`${TASKS} tasks of ${LARGE} MiB that nobody has read before are asked for at once, and end no process [${kind}]`, {
    skip,
  }, async () => {
    const { place, url, remove } = await open();
    const ids = await fill(url);
    const server = await SmallHeapServer.start("test/operations/large-tasks.ts", kind, place);
    const length = async (id: string) => {
      const response = await fetch(`${server.url}/tasks/${id}`, { headers: { "A2A-Version": "1.0" } });
      let bytes = 0;
      for await (const chunk of response.body ?? []) bytes += chunk.length;
      return bytes;
    };
    try {
      const lengths = Promise.all(ids.map(length));
      assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
      for (const bytes of await lengths) assert.ok(bytes > LARGE * MIB);
      assert.equal(server.death, undefined);
      const { result } = await rpcPeer(server.url).call("SendMessage", text("peak"));
      // Strings and buffers that came from a database lie outside of the heap.
      const peak = Number(result.message.parts[0].text);
      assert.ok(peak < 640, `the process took ${peak} MiB`);
    } finally {
      await server.stop();
      remove();
    }
  });
}
